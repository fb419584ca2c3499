#!/usr/bin/env bash
# memoir watch: real Go services, etcd and Prometheus, beside addresses where nobody is, nobody answers, or nothing can be reached.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

started=()
finish() {
    local pid
    for pid in "${started[@]}"; do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
}
trap finish EXIT
if [ ! -x "$BUILD/memoir-cluster" ]; then
    skip watch "memoir-cluster is not built: libcurl or libyaml is missing"
    exit 0
fi
if ! command -v go >/dev/null || ! CGO_ENABLED=0 go build -o go_node "$TOP/tests/runtimes/go_node/main.go" 2>go.err; then
    skip watch "no Go compiler that works here"
    exit 0
fi

wait_until() { # wait_until WHAT COMMAND…: up to 30 s
    local what=$1 tries=300
    shift
    until "$@"; do
        tries=$((tries - 1))
        if [ $tries = 0 ]; then
            echo "# waited in vain: $what"
            return 1
        fi
        sleep 0.1
    done
}
go_node() { # go_node NAME OPTIONS…: its process id in $node
    mkdir -p "$1"
    rm -f "$1/algod.net"
    ./go_node -data "$@" 2>"$1.err" &
    node=$!
    started+=("$node")
    wait_until "$1" test -s "$1/algod.net"
}
address() { echo "http://$(cat "$1/algod.net")"; }
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
fetches() { jq -s "$2" "$1/fetches.jsonl"; } # fetches RUN FILTER
has_line() { grep -q "$2" "$1" 2>/dev/null; } # has_line FILE PATTERN
log_says() { grep -c "$2" "$1/watch.log"; }   # log_says RUN PATTERN
settings() { curl -s -H 'X-Algo-API-Token: admin-token-0123456789' "$(address "$1")/debug/settings/pprof" | tr -d '\n'; }

go_node A
go_node B
second=$node
go_node C -delay 1s
go_node D -delay 1s
go_node crowd -goroutines 25000
go_node wrong
echo not-the-token-of-anybody >wrong/algod.admin.token

refused=$(free_port)
python3 -c '
import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(64)
open("hole", "w").write(str(s.getsockname()[1])); time.sleep(300)' &
started+=($!)
wait_until hole test -s hole
hole=$(cat hole)
client=$(free_port) peer=$(free_port) prometheus=$(free_port)
targets=() real=0
if command -v etcd >/dev/null; then
    etcd --data-dir etcd.data --enable-pprof --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
        --listen-peer-urls "http://127.0.0.1:$peer" >etcd.out 2>&1 &
    started+=($!)
    targets+=("http://127.0.0.1:$client") real=$((real + 1))
fi
if command -v prometheus >/dev/null; then
    echo 'scrape_configs: []' >prometheus.yml
    prometheus --config.file=prometheus.yml --storage.tsdb.path=prometheus.data --web.listen-address="127.0.0.1:$prometheus" >prometheus.out 2>&1 &
    started+=($!)
    targets+=("http://127.0.0.1:$prometheus") real=$((real + 1))
fi
for target in "${targets[@]}"; do wait_until "$target" curl -sf -o /dev/null "$target/metrics"; done

# Words.
"$MEMOIR" watch A 2>err
equal "C8 no -o: status" 2 $?
one_sentence "C8 no -o: a sentence" err 'name the folder.*-o RUN'
"$MEMOIR" watch -o x 2>err
equal "18.2 no node: status" 1 $?
one_sentence "18.2 no node" err 'no node to watch'
"$MEMOIR" watch A -o x --for 5s 2>err
one_sentence "18.2 --for without --every" err '[-]-every'
"$MEMOIR" watch A B/ "http://user:hidden-word@127.0.0.1:$refused/" --metrics --list --json >list.json 2>err
equal "C14 a data dir with a slash at its end" B "$(jq -r '.[1].nick' list.json)"
equal "18.2 --list" '["heap","metrics","rss"]' "$(jq -c '.[0].captures' list.json)"
equal "17.4 no password in --list" 0 "$(grep -c hidden-word list.json err | awk -F: '{ n += $2 } END { printf "%.0f\n", n }')"

# A second signal does not wait for rates to be put back: the next watch does that.
second_signal() {
    "$MEMOIR" watch D -o twice --every 10m --mutex --no-heap --quiet &
    local twice=$! twice_pid
    wait_until "rates set" bash -c "curl -s -H 'X-Algo-API-Token: admin-token-0123456789' $(address D)/debug/settings/pprof | grep -q '\"mutex-rate\":100,'"
    twice_pid=$(pgrep -P $twice -x memoir-cluster || echo $twice)
    kill -TERM "$twice_pid"
    wait_until "the first signal" has_line twice/watch.log 'stopped by SIGTERM'
    kill -TERM "$twice_pid" 2>/dev/null
    wait $twice
    equal "18.10 a second signal quits" "0 SIGTERM yes" "$? $(jq -r '.segments[0].ended' twice/manifest.json) $([ -e twice/rates.jsonl ] && echo yes)"
    "$MEMOIR" watch D -o twice --no-heap --quiet
    equal "18.10 and the next watch makes it good" '{"mutex-rate":0,"block-rate":0} no' "$(settings D) $([ -e twice/rates.jsonl ] && echo yes || echo no)"
}
second_signal >twice.out &
signals=$!

# A crowd: living, slow, dead in three ways, and one with a wrong token.
"$MEMOIR" watch A B C D wrong "${targets[@]}" "http://127.0.0.1:$refused" "http://127.0.0.1:$hole" http://192.0.2.1:80 \
    -o run --period 2s --runtime 6s --metrics --headers --timeout 3s --cpu=3s --cpu-after 1s --header "X-Secret: hidden-word" >out 2>err &
watch=$!
# Meanwhile: rates, kept after a kill, put back by the next.
"$MEMOIR" watch A -o rates --every 10m --mutex --block --no-heap --quiet &
rates=$!
wait_until "rates set" bash -c "curl -s -H 'X-Algo-API-Token: admin-token-0123456789' $(address A)/debug/settings/pprof | grep -q '100,.*100000000'"
equal "17.4 sane rates while watched" '{"mutex-rate":100,"block-rate":100000000}' "$(settings A)"
kill -9 "$(pgrep -P $rates -x memoir-cluster || echo $rates)"
wait $rates 2>/dev/null
equal "17.4 rates are remembered on disk" '{"node":"A","mutex-rate":0,"block-rate":0}' "$(cat rates/rates.jsonl)"
"$MEMOIR" watch A -o rates --timeout 30s --quiet
equal "17.4 the next watch puts rates back" '{"mutex-rate":0,"block-rate":0}' "$(settings A)"
equal "17.4 and forgets them" no "$([ -e rates/rates.jsonl ] && echo yes || echo no)"
"$MEMOIR" watch A -o rates --mutex --timeout 30s --quiet
equal "17.4 rates restored at exit" '{"mutex-rate":0,"block-rate":0} no' "$(settings A) $([ -e rates/rates.jsonl ] && echo yes || echo no)"
equal "17.4 mutex profiles are there" 1 "$(find rates -name 'A.*.mutex' -newer rates/manifest.json -o -name 'A.*.mutex' | sort | tail -n 1 | wc -l)"
# What somebody else has set is his.
curl -s -X PUT -H 'X-Algo-API-Token: admin-token-0123456789' -d '{"mutex-rate":7,"block-rate":9}' "$(address B)/debug/settings/pprof" >/dev/null
"$MEMOIR" watch B -o others --mutex --block --timeout 30s --quiet
equal "17.4 rates that are set are left" '{"mutex-rate":7,"block-rate":9}' "$(settings B)"

# Goroutines: the many are asked for more rarely.
"$MEMOIR" watch A crowd -o crowds --every 300ms --for 1800ms --no-heap --goroutine --quiet
equal "17.4 a node with few goroutines is asked at every tick" 7 "$(fetches crowds '[.[] | select(.node == "A" and .kind == "goroutine")] | length')"
at_most "17.4 a node with 25,000 goroutines is asked more rarely" 4 "$(fetches crowds '[.[] | select(.node == "crowd" and .kind == "goroutine")] | length')"

# Blocks, as far as algod can be stood in for.
mkdir chain
"$subjects/subject-algod_stub" --data-dir chain --block-ms 200 --height 1000 >stub.out &
started+=($!)
wait_until stub test -s chain/algod.net
"$MEMOIR" watch chain B -o blocks --every 300ms --rounds 3 --no-heap --quiet
equal "18.2 --rounds ends it" "0 rounds" "$? $(jq -r '.segments[0].ended' blocks/manifest.json)"
equal "C11 rounds.json with --rounds" true "$(jq '.max >= .min + 3 and (.all | length) >= 2 and .all[0] == .min' blocks/rounds.json)"
file=$(find blocks -name 'chain.*.blockinfo.json' | sort | head -n 1)
equal "S8 a header without transactions and certificate" "true false false" "$(jq -r '"\(.block.rnd >= 1000) \(.block | has("txns")) \(has("cert"))"' "$file")"

# A node that is slow to set rates does not set them after they were put back.
stub=http://127.0.0.1:$(sed -n 's/^port //p' stub.out)
curl -s -X PUT "$stub/stub?slow_put_ms=1500" >/dev/null
"$MEMOIR" watch chain -o slow --mutex --every 200ms --for 600ms --quiet
sleep 2
equal "17.4 rates that are set late are restored" '0 no' "$(curl -s "$stub/stub" | jq .mutex_rate) $([ -e slow/rates.jsonl ] && echo yes || echo no)"
curl -s -X PUT "$stub/stub?slow_put_ms=0" >/dev/null

# A full disk is told once, and when there is room again it goes on.
if "${with_own_mounts[@]}" true 2>/dev/null; then
    # shellcheck disable=SC2016
    "${with_own_mounts[@]}" bash -c 'mkdir small && mount -t tmpfs -o size=1m tmpfs small || exit 77
        "$1" watch A -o small/run --every 200ms --metrics 2>full.err & watch=$!
        until grep -q "no room" full.err; do sleep 0.1; [ -n "$filled" ] || { sleep 0.5; dd if=/dev/zero of=small/rest bs=1k count=1024 2>/dev/null; filled=1; }; done
        sleep 1; rm small/rest
        until grep -q "room in" full.err; do sleep 0.1; done
        kill $watch; wait $watch; status=$?; cp -r small/run full; exit $status' bash "$MEMOIR"
    equal "18.10 a full disk ends nothing" 0 $?
    equal "18.10 a full disk is told once, and that there is room" "1 1" "$(grep -c 'no room left' full.err) $(grep -c 'room in .* again' full.err)"
    equal "18.10 lines are whole after a full disk" true "$(fetches full 'length > 3')"
else
    skip "18.10 a full disk" "this user may not make a mount namespace"
fi

# Idle: ten minutes from tick to tick cost nothing.
"$MEMOIR" watch A C -o idle --every 10m --quiet &
idle=$!
wait_until "first snapshot" has_line idle/fetches.jsonl '"node":"C","kind":"heap"'
idle_pid=$(pgrep -P $idle -x memoir-cluster || echo $idle)
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
before=$(ticks "$idle_pid")

wait $signals
cat twice.out
wait $watch
equal "18.2 the run ends well" 0 $?
equal "C11 rounds.json with --runtime" '{"min":null,"max":null,"all":[]}' "$(cat run/rounds.json)"
equal "18.2 snapshots" 4 "$(jq '.segments[0].ticks' run/manifest.json)"
equal "18.2 ended" '"for"' "$(jq '.segments[0].ended' run/manifest.json)"
for node in A B "${targets[@]#http://}"; do
    equal "18.2 a dead node delays nobody: $node" "4 4" "$(find run -name "$node.*.heap" | wc -l) $(find run -name "$node.*.metrics" | wc -l)"
done
for dead in "127.0.0.1:$refused" "127.0.0.1:$hole" 192.0.2.1:80; do
    equal "18.2 a dead node is a gap: ${dead%:*}" "0 8" \
        "$(find run -name "$dead.*.heap" | wc -l) $(fetches run "[.[] | select(.node == \"$dead\" and .why != \"\" and (.kind == \"heap\" or .kind == \"metrics\"))] | length")"
    equal "18.2 told once: ${dead%:*}" 1 "$(log_says run " $dead: ")"
done
at_least "18.2 busy with the tick before is a counted gap" 1 \
    "$(fetches run "[.[] | select(.node == \"127.0.0.1:$hole\" and (.why | test(\"has not answered the request of the previous snapshot\")))] | length")"
at_least "18.2 a black hole ends at its time limit" 1 \
    "$(fetches run "[.[] | select(.node == \"127.0.0.1:$hole\" and (.why | test(\"did not answer within 3.00 s\")))] | length")"
equal "S1 all are asked before any answers, the slow too" true \
    "$(fetches run 'map(select(.kind == "heap" and (.node == "C" or .node == "D"))) | group_by(.stamp) | map((map(.begin_us) | max) < (map(.end_us) | min)) | all')"
equal "S2 one stamp per snapshot" 4 "$(find run -name '*.heap' -printf '%f\n' | grep -o '[0-9]\{8\}_[0-9]\{6\}' | sort -u | wc -l)"
equal "S2 real times are stored" true "$(fetches run 'map(select(.status == 200)) | length > 20 and all(.end_us >= .begin_us and .begin_us > 1600000000000000)')"
cpu='map(select(.kind == "profile" and .node == "A"))[0]'
at_least "S3 snapshots are taken while CPU profiles are" 1 \
    "$(fetches run "$cpu as \$cpu | map(select(.kind == \"heap\" and .node == \"A\" and .begin_us > \$cpu.begin_us and .end_us < \$cpu.end_us)) | length")"
equal "S3 one CPU profile, three seconds long" "1 true" "$(find run -name 'A.*.profile' | wc -l) $(fetches run "$cpu | .end_us - .begin_us >= 3000000")"
at_most "S9 connections are kept" 12 "$(sed -n 's/^connections //p' "$(find run -name 'B.*.metrics' | sort | tail -n 1)")"
equal "S10 rss and vsz of local processes" 4 "$(grep -cE '^[0-9]{8}_[0-9]{6},[0-9-]{10} [0-9:]{8},[1-9][0-9]*,[1-9][0-9]*(,|$)' run/A.heap.csv)"
equal "W2 stamps of the csv are those of the captures" "$(find run -name 'A.*.heap' -printf '%f\n' | cut -d . -f 2 | sort | tr '\n' ' ')" "$(cut -d , -f 1 run/A.heap.csv | tr '\n' ' ')"
equal "18.11 services without a chain: no gap, no file" "0 0" \
    "$(find run -name "127.0.0.1:$client.*.blockinfo.json" | wc -l) $(fetches run "[.[] | select(.node == \"127.0.0.1:$client\" and .kind == \"blockinfo.json\")] | length")"
equal "18.2 wrong token: told once, with what to do" 1 "$(log_says run 'wrong: no heap: .*401.*token is missing or wrong')"
equal "17.4 no token, no header, no password in the run" "" \
    "$(grep -rlE 'admin-token-0123456789|api-token-0123456789|not-the-token-of-anybody|hidden-word' run rates err out)"
equal "18.1 captures are for their owner" "" "$(find run -type f ! -perm 600)"
equal "18.1 nothing half-written is left" "" "$(find run rates -name '.*.part')"
if [ $real = 2 ]; then
    for node in "${targets[@]#http://}"; do
        go tool pprof -top "$(find run -name "$node.*.heap" | sort | tail -n 1)" >top 2>/dev/null
        equal "18.1 a heap profile of $([ "$node" = "127.0.0.1:$client" ] && echo etcd || echo prometheus) as it was sent" 1 "$(grep -c '^Type: inuse_space' top)"
    done
fi

# The machine may be busy: what counts is the process's own time.
at_most "S6 idle costs nothing" 5 "$(($(ticks "$idle_pid") - before))"
kill -TERM $idle
wait_until "the end" bash -c "! kill -0 $idle 2>/dev/null"
wait $idle
equal "S5 SIGTERM during the sleep ends it" "0 SIGTERM" "$? $(jq -r '.segments[0].ended' idle/manifest.json)"
equal "C11 rounds.json after a stop during the sleep" '{"min":null,"max":null,"all":[]}' "$(cat idle/rounds.json)"
for signal in INT HUP; do
    "$MEMOIR" watch C "http://127.0.0.1:$hole" -o "stop$signal" --every 10m --quiet &
    stopped=$!
    wait_until "first snapshot" has_line "stop$signal/fetches.jsonl" '"node":"C"'
    kill -$signal "$(pgrep -P $stopped -x memoir-cluster || echo $stopped)"
    wait $stopped
    equal "18.10 SIG$signal gives up what is under way, and tells" "0 SIG$signal 1" \
        "$? $(jq -r '.segments[0].ended' "stop$signal/manifest.json") $(fetches "stop$signal" '[.[] | select(.why | test("memoir stopped waiting"))] | length')"
done

# A run that goes on; a node that is started again; one that ends.
find run -name '*.heap' -exec sha1sum {} + >sums
"$MEMOIR" watch A B -o run --every 500ms --quiet &
again=$!
wait_until "a snapshot" has_line run/B.heap.csv '\.[0-9]\{6\},'
"$MEMOIR" watch A -o run 2>err
equal "18.2 two writers: status" 1 $?
one_sentence "18.2 two writers" err 'another memoir watch'
kill -9 $second
wait $second 2>/dev/null
wait_until "the gap" has_line run/watch.log ' B: no memory of its process'
rows=$(wc -l <run/A.heap.csv)
wait_until "others go on" bash -c "[ \$(wc -l <run/A.heap.csv) -gt $((rows + 1)) ]"
ok "C1 a process that is gone ends nothing"
before=$(address B)
go_node B
wait_until "it is back" has_line run/watch.log ' B: the node was restarted'
equal "C2 a node that was started again" 1 "$(log_says run ' B: the node was restarted: process')"
wait_until "it answers" has_line run/watch.log ' B: answers again'
equal "C2 at another address, by its data folder" "yes 1" "$([ "$before" = "$(address B)" ] || echo yes) $(log_says run "another address or token now: $(address B)")"
kill -TERM "$(pgrep -P $again -x memoir-cluster || echo $again)"
wait $again
equal "18.2 a folder is continued" "2 for SIGTERM" "$(jq -r '.segments | "\(length) \(.[0].ended) \(.[1].ended)"' run/manifest.json)"
equal "18.2 nodes of earlier times stay known" true "$(jq '[.nodes[].nick] | index("D") != null and (length == (unique | length))' run/manifest.json)"
sha1sum --quiet -c sums >changed 2>&1
equal "18.2 captures are not written over" "0 " "$? $(cat changed)"
equal "C7 below a second every stamp has a fraction, the first too" "" \
    "$(find run -newer idle/manifest.json -name '[AB].*.heap' -printf '%f\n' | grep -vE '^[AB]\.[0-9]{8}_[0-9]{6}\.[0-9]{6}\.heap$')"

# One that hangs up at first, then says half of it, for ever; and one that says all of it in the end.
python3 - <<'END' &
import socket, threading
def serve(name, answers):
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen(64)
    open(name + ".port", "w").write(str(listening.getsockname()[1]))
    for number in range(1000):
        peer, _ = listening.accept()
        peer.recv(10000)
        answer = answers[min(number, len(answers) - 1)]
        if answer:
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n" + answer)
        peer.close()
threading.Thread(target=serve, args=("half", [b"", b"x "])).start()
serve("whole", [b"", b"x ", b"x 1\n"])
END
started+=($!)
wait_until half test -s half.port
wait_until whole test -s whole.port
printf 'nodes:\n  - {name: half, metrics_url: "http://127.0.0.1:%s/m"}\n  - {name: whole, metrics_url: "http://127.0.0.1:%s/m"}\n' "$(cat half.port)" "$(cat whole.port)" >halves.yaml
"$MEMOIR" watch halves.yaml -o halves --every 300ms --for 2s --metrics --no-heap --quiet
equal "half an answer is no answer again" "0 1 1" \
    "$(log_says halves ' half: answers again') $(log_says halves ' half: no metrics: ') $(log_says halves ' whole: answers again')"

# Many nodes behind one address, and few descriptors: they wait for each other.
for i in $(seq 300); do echo "  - {name: n$i, metrics_url: \"$(address A)/metrics\", headers: {X-Number: $i}}"; done | cat <(echo nodes:) - >many.yaml
(
    ulimit -Sn 200
    ulimit -Hn 200
    exec "$MEMOIR" watch many.yaml -o many --metrics --no-heap --quiet
)
equal "few descriptors are no gaps" "300 0" "$(fetches many '"\(length) \([.[] | select(.why != "")] | length)"' | tr -d '"')"
true
