#!/usr/bin/env bash
# memoir pages on real programs: what they have is what the kernel counts, and most of it has a stack with names.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_real
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

# watch NAME COMMAND…: begins it; $recorder is who watches.
watch() {
    local name=$1
    shift
    "$MEMOIR" pages --agent "$socket" --every 500ms -o "$name.memoir" -- "$@" >"$name.out" 2>"$name.err" &
    recorder=$!
    started+=("$recorder")
}
watched() {
    pgrep -P "$recorder" | head -n 1
}
# still CASE NAME: stops what is watched, compares, lets it go on.
still() {
    local pid
    pid=$(watched)
    kill -STOP "$pid"
    quiet "$1" "$2.memoir" "$pid"
    kill -CONT "$pid"
}
# good NAME STATUS: how it ended, and how well it was seen.
good() {
    wait "$recorder"
    equal "$1-status" "$2" $?
    "$MEMOIR" report "$1.memoir" --metric pages.resident --json >"$1.json"
    at_least "$1-complete" 0.99 "$(jq .quality.complete_stacks_share "$1.json")"
    equal "$1-lost" 0 "$(jq .quality.lost_events "$1.json")"
    echo "# $1: $(jq -c '.quality | [.complete_stacks_share, .events, .stack_ends, .unresolved_frames_share]' "$1.json")"
}
# share NAME METRIC PATTERN: of the bytes, those with a function on their stack whose name matches.
share() {
    "$MEMOIR" report "$1.memoir" --metric "$2" --top 100000 --json |
        jq --arg f "$3" '([.rows[] | select(any(.stack[]; .function // "" | test($f))) | .value] | add // 0) / .total.value'
}

# --- redis: 100 MB of values, and none ---
watch redis redis-server --port 27391 --save '' --appendonly no
redis=(redis-cli -p 27391)
if wait_until 20 "${redis[@]}" ping; then
    redis-benchmark -p 27391 -q -t set -n 25000 -r 100000000 -d 4000 -P 50 >/dev/null
    still redis-full redis
    # Names come after the pages, the later the busier the machine is.
    values() { share redis pages.anon '^createStringObject|^processMultibulkBuffer'; }
    are_named() { jq -en "$(values) >= 0.7" >/dev/null; }
    wait_until 30 are_named
    at_least redis-values 0.7 "$(values)"
    "${redis[@]}" flushall >/dev/null
    "${redis[@]}" memory purge >/dev/null
    still redis-flushed redis
    at_most redis-flushed-values $((40 * mib)) "$(total redis.memoir pages.anon)"
    "${redis[@]}" shutdown nosave
    good redis 0
else
    not_ok redis "it does not answer: $(tail -n 1 redis.out)"
fi

# --- sqlite on a file of 100 MB ---
cat >write.sql <<'END'
PRAGMA cache_size = -2000;
CREATE TABLE t (id INTEGER PRIMARY KEY, text BLOB);
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000) INSERT INTO t SELECT i, randomblob(4000) FROM n;
END
cached() { # cached FILE BYTES FUNCTION: whether so much of the page cache is its
    [ "$(inside "$1" pages.cache "$3")" -ge "$2" ]
}
begin_subject "$MEMOIR" pages --agent "$socket" --every 300ms -o sqlite.memoir -- sqlite3 large.db
recorder=$subject
cat write.sql >&7
echo ".print written" >&7
wait_until 60 grep -q written steps.out
most=$(($(stat -c %s large.db) * 9 / 10))
wait_until 15 cached sqlite.memoir $most sqlite3BtreeInsert
at_least sqlite-written-cache $most "$(inside sqlite.memoir pages.cache sqlite3BtreeInsert)"
still sqlite-written sqlite
sync large.db
dd if=large.db iflag=nocache count=0 status=none
printf '%s\n' "SELECT sum(length(text || text)) FROM t;" ".print done" >&7
wait_until 60 grep -q '^done' steps.out
still sqlite-read sqlite
exec 7>&-
good sqlite 0
at_most sqlite-dropped $((10 * mib)) "$(inside sqlite.memoir pages.cache sqlite3BtreeInsert)"
at_least sqlite-read-cache $most "$(inside sqlite.memoir pages.cache sqlite3_step)"

# A process that ends at once leaves its page cache, too.
watch copy sh -c 'sleep 0.3; exec dd if=/dev/zero of=copied.bin bs=1M count=30 status=none'
wait "$recorder"
at_least copied $((30 * mib)) "$(total copy.memoir pages.cache)"
at_most copied-and-no-more $((31 * mib)) "$(total copy.memoir pages.cache)" # what it ran may not have been in memory any more

# --- etcd: Go, stripped, of Debian ---
export ETCDCTL_API=3
if command -v etcd >/dev/null && command -v etcdctl >/dev/null; then
    client=http://127.0.0.1:23791 peer=http://127.0.0.1:23801
    watch etcd etcd --data-dir etcd-data --listen-client-urls $client --advertise-client-urls $client \
        --listen-peer-urls $peer --initial-advertise-peer-urls $peer --initial-cluster default=$peer
    wait_until 30 etcdctl --endpoints $client endpoint health
    head -c 1000000 /dev/zero | tr '\0' v >value
    for i in $(seq 30); do etcdctl --endpoints $client put "key$i" <value >/dev/null; done
    still etcd etcd
    at_least etcd-names 0.9 "$(share etcd pages.anon '^(go.etcd.io|google.golang.org|runtime|net/http|main)[./]')"
    at_least etcd-database 0.2 "$(share etcd pages.file '^go.etcd.io/bbolt')"
    kill "$(watched)"
    good etcd 143
else
    skip etcd "etcd-server or etcd-client is not installed"
fi

# --- monerod: C++, stripped, its database mapped ---
if command -v monerod >/dev/null; then
    rpc=http://127.0.0.1:28081/json_rpc
    mkdir monero
    watch monero monerod --regtest --offline --non-interactive --data-dir "$PWD/monero" --rpc-bind-port 28081 --no-zmq --fixed-difficulty 1
    wallet=44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A
    wait_until 40 curl -sf -o /dev/null $rpc -d '{"jsonrpc":"2.0","id":"0","method":"get_info"}'
    curl -sf -o /dev/null $rpc -d '{"jsonrpc":"2.0","id":"0","method":"generateblocks","params":{"amount_of_blocks":3,"wallet_address":"'$wallet'"}}'
    still monero monero
    at_least monero-randomx 0.5 "$(share monero pages.anon 'randomx|fillAes|initCache' || echo 0)"
    at_least monero-files 0.9 "$(share monero pages.file '^[^[]|^$')" # the database and the libraries: touched by somebody
    kill "$(watched)"
    good monero 0
else
    skip monero "monero is not installed"
fi
# --- small programs in other languages: 40 MiB from a function with a name ---
# holds NAME PATTERN: ./NAME, which says when it is ready and then waits.
holds() {
    begin_subject "$MEMOIR" pages --agent "$socket" --every 300ms -o "$1.memoir" -- "./$1"
    recorder=$subject
    wait_until 20 has_line steps.out ready
    still "$1" "$1"
    exec 7>&-
    good "$1" 0
    [ "$2" = "" ] || at_least "$1-names" $((39 * mib)) "$(share "$1" pages.anon "$2" | jq ". * $(total "$1.memoir" pages.anon)")"
}
if command -v go >/dev/null; then
    cat >hold.go <<'END'
package main

import ("fmt"; "os")

//go:noinline
func fillForty() []byte {
	kept := make([]byte, 40 << 20)
	for i := range kept { kept[i] = byte(i) }
	return kept
}
func main() {
	done, kept := make(chan bool), []byte(nil)
	go func() { kept = fillForty(); done <- true }()
	<-done
	fmt.Println("ready")
	os.Stdin.Read(make([]byte, 1))
	fmt.Println(len(kept))
}
END
    for flags in "" "-s -w"; do
        name=hold_go${flags:+_stripped}
        CGO_ENABLED=0 GOCACHE=$PWD/gocache GO111MODULE=off go build -ldflags "$flags" -o "$name" hold.go || not_ok "$name-built" "go failed"
        holds "$name" '^main.fillForty'
    done
else
    skip go "not installed"
fi
if command -v rustc >/dev/null; then
    cat >hold.rs <<'END'
#[inline(never)]
fn fill_forty() -> Vec<u64> { (0..(40u64 << 20) / 8).map(|i| unsafe { std::ptr::read_volatile(&i) }).collect() }
fn main() {
    let kept = std::thread::spawn(fill_forty).join().unwrap();
    println!("ready");
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).unwrap();
    println!("{}", kept.len());
}
END
    rustc -O -o hold_rust hold.rs 2>rustc.err || not_ok rust-built "$(head -n 3 rustc.err)"
    holds hold_rust '^hold::fill_forty|hold.*fill_forty'
    strip -o hold_rust_stripped hold_rust
    holds hold_rust_stripped ''
else
    skip rust "not installed"
fi
if command -v ocamlopt >/dev/null; then
    cat >hold.ml <<'END'
let[@inline never] fill_forty () =
  let made = Array.init (40 * 1024 * 1024 / 8) (fun i -> i) in
  made.(0) <- 1; (* no tail call *)
  made
let () =
  let kept = Sys.opaque_identity (fill_forty ()) in
  print_endline "ready";
  (try ignore (input_char stdin) with End_of_file -> ());
  print_int (Array.length kept)
END
    ocamlopt -o hold_ml hold.ml || not_ok ocaml-built "ocamlopt failed"
    holds hold_ml 'fill_forty'
else
    skip ocaml "not installed"
fi
end_agent
equal agent-ends 0 $?
