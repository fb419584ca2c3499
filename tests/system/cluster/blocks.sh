#!/usr/bin/env bash
# memoir blocks against a stand-in for algod (which no package has): every height once whatever happens to it or to us, and what the histories say.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

stubs=() follower=''
ends() {
    local pid
    for pid in "${stubs[@]}" $follower; do kill -9 "$pid" 2>/dev/null; done
    true
}
trap ends EXIT

stub() { # stub NAME OPTIONS…: port in NAME.port
    mkdir -p "$1"
    "$subjects/subject-algod_stub" --data-dir "$1" "${@:2}" >"$1.out" &
    stubs+=($!)
    wait_until 20 has_line "$1.out" '^port ' || not_ok "$1-begins" "the stand-in did not begin"
    sed -n 's/^port //p' "$1.out" >"$1.port"
}
tell() { # tell NAME QUERY
    curl -s --max-time 10 -X PUT "http://127.0.0.1:$(cat "$1.port")/stub?$2" >/dev/null
}
asked() { # asked NAME KEY
    curl -s --max-time 10 "http://127.0.0.1:$(cat "$1.port")/stub" | jq -r ".$2"
}
follow() { # follow ARGUMENTS…: in the background, what it says in follow.err
    "$MEMOIR" blocks "$@" 2>follow.err &
    follower=$!
}
finish() { # finish: SIGTERM
    kill -TERM "$follower"
    wait "$follower"
    status=$?
    follower=''
}
decode() { # decode FILE
    "$BUILD/tests/read-blocks" "$1"
}
heights_once() { # heights_once CASE FILE FIRST LAST
    decode "$2" 2>decode.err | cut -d ' ' -f 1 >heights.txt
    seq "$3" "$4" >expected.txt
    [ ! -s decode.err ] || not_ok "$1-decodes" "$(tail -n 1 decode.err)"
    same_text "$1" expected.txt heights.txt
}
last_height() { # last_height FILE
    decode "$1" | tail -n 1 | cut -d ' ' -f 1
}
reaches() { # reaches FILE HEIGHT
    [ "$(last_height "$1")" -ge "$2" ]
}
stats() { # stats FILE PATH [OPTIONS…]: of the first file, as jq sees it
    "$MEMOIR" blocks stats "$1" --json "${@:3}" | jq -r ".files[0]$2"
}

stub a --height 40 --block-ms 100
stub b --height 40 --block-ms 100

"$MEMOIR" blocks a 2>none.err
equal C8-status 2 $?
one_sentence 'C8 where to' none.err 'where to'
"$MEMOIR" blocks stats 2>none.err
equal stats-of-nothing 2 $?

# From the beginning, then as they come.
"$MEMOIR" blocks a --from 0 --to 50 -o all.blockhistory 2>all.err
equal followed 0 $?
heights_once '18.5 every height once' all.blockhistory 0 50
equal 'S8 headers only' 0 "$(asked a whole)"
"$MEMOIR" blocks a --from 0 --to 60 -o all.blockhistory 2>all.err
heights_once '18.5 goes on with a file' all.blockhistory 0 60

# As they come: a new file begins after the newest block.
follow a -o live.blockhistory
has_records() { # has_records FILE COUNT
    [ "$(decode "$1" | wc -l)" -ge "$2" ]
}
wait_until 30 has_records live.blockhistory 20
finish
live=$(last_height live.blockhistory)
heights_once 'live every height once' live.blockhistory "$(decode live.blockhistory | head -n 1 | cut -d ' ' -f 1)" "$live"
at_least 'W14 arrivals are known' 10 "$(decode live.blockhistory | awk '$4 != "-"' | wc -l)"

# Nodes that do not know header-only, in two ways.
tell a old=1
"$MEMOIR" blocks a --from 5 --to 9 -o old.blockhistory --quiet
heights_once 'S8 whole blocks of an old node' old.blockhistory 5 9
tell a 'old=0&strict=1'
"$MEMOIR" blocks a --from 5 --to 9 -o strict.blockhistory --quiet
heights_once 'S8 a node that refuses header-only' strict.blockhistory 5 9
tell a strict=0

# Killed in the middle of a line.
follow a --from 0 -o killed.blockhistory
wait_until 20 reaches killed.blockhistory 45
kill -9 "$follower"
wait "$follower" 2>/dev/null
follower=''
truncate -s -9 killed.blockhistory
sed -i '1i # a comment\n' killed.blockhistory
target=$(($(asked a height) + 5))
"$MEMOIR" blocks a --to $target -o killed.blockhistory 2>killed.err
heights_once 'S14 nothing is lost or twice after a kill' killed.blockhistory 0 $target
equal 'S14 the repair is told' 1 "$(grep -c 'last line .* was incomplete' killed.err)"

# One node hangs: the other goes on, and the end comes at once; later the first one's blocks are fetched.
follow a b --from 40 -o both --pid follow.pid
wait_until 20 reaches both/name_a_127.0.0.1.blockhistory 42
equal pid-file "$follower" "$(cat follow.pid)"
"$MEMOIR" blocks a -o both/name_a_127.0.0.1.blockhistory 2>second.err
equal two-writers 1 $?
one_sentence two-writers-told second.err 'another'
tell a stall=1
at=$(asked b height)
if wait_until 20 reaches both/name_b_127.0.0.1.blockhistory $((at + 10)); then ok 'S7 a hung node stops nobody'; else not_ok 'S7 a hung node stops nobody' "no more blocks of b"; fi
begin=$(date +%s%N)
finish
equal 'S7 SIGTERM ends it though a node hangs' 0 $status
echo "# ended after $((($(date +%s%N) - begin) / 1000000)) ms"
equal pid-file-gone no "$([ -e follow.pid ] && echo yes || echo no)"
tell a stall=0
follow a b -o both
target=$(($(asked a height) + 5))
wait_until 20 reaches both/name_a_127.0.0.1.blockhistory $target
wait_until 20 reaches both/name_b_127.0.0.1.blockhistory $target

# It catches up, then it is away: told once each, and no height is missing.
tell a catchup=1
wait_until 20 has_line follow.err 'a: .*catching up'
tell a catchup=0
wait_until 20 has_line follow.err 'a: answers again'
kill "${stubs[0]}"
wait_until 20 has_line follow.err 'a: .*asking again'
"$subjects/subject-algod_stub" --data-dir a --port "$(cat a.port)" --height $((target + 30)) --block-ms 100 >a.out &
stubs+=($!)
wait_until 30 reaches both/name_a_127.0.0.1.blockhistory $((target + 40))
finish
heights_once 'S7 no gap after a node was away' both/name_a_127.0.0.1.blockhistory 40 "$(last_height both/name_a_127.0.0.1.blockhistory)"
at_least troubles-told 2 "$(grep -c 'a: ' follow.err)"

# What a node threw away, or never had, is told, noted, and counted.
tell b first=30
"$MEMOIR" blocks b --from 20 --to 33 -o pruned.blockhistory 2>pruned.err
heights_once pruned-heights pruned.blockhistory 30 33
equal pruned-told 1 "$(grep -c 'heights 20 to 29 are not on the node' pruned.err)"
equal pruned-noted 1 "$(grep -c '^# heights 20 to 29' pruned.blockhistory)"
tell b 'first=0&skip=35'
"$MEMOIR" blocks b --from 34 --to 37 -o skipped.blockhistory 2>/dev/null
equal missing-heights '[[35,35]]' "$(stats skipped.blockhistory .missing_heights | jq -c .)"
tell b skip=-1

"$MEMOIR" blocks -a "http://127.0.0.1:$(cat b.port)" --token wrong -o refused.blockhistory 2>refused.err
equal token-refused 1 $?
equal token-refused-told 1 "$(grep -c 'refuses the token' refused.err)"
equal no-token-in-words 0 "$(cat ./*.err | grep -c 'token-of-the-stub')"

# Relays of an inventory, as the original chooses and names them.
cat >terraform-inventory.host <<EOF
[name_r1]
127.0.0.1:$(cat a.port)

[name_r2]
127.0.0.1:$(cat b.port)

[role_relay]
127.0.0.1:$(cat a.port)
127.0.0.1:$(cat b.port)
EOF
echo token-of-the-stub >token
"$MEMOIR" blocks --tf-inventory terraform-inventory.host --token-file token --outdir relays --from 40 --to 42 2>relays.err
equal relays-one relays/name_r1_127.0.0.1.blockhistory "$(echo relays/*)"
"$MEMOIR" blocks --tf-inventory terraform-inventory.host --all --token-file token --outdir relays --from 40 --to 42 2>relays.err
equal relays-all 'relays/name_r1_127.0.0.1.blockhistory relays/name_r2_127.0.0.1.blockhistory' "$(echo relays/*)"

# Statistics.
at_least 'W14 blocks are timed by arrival' 3 "$(stats live.blockhistory .timed_by_arrival)"
at_most 'W14 there is no lower limit' 0.5 "$(stats live.blockhistory .all.seconds_per_block.min)"
equal transactions-per-block '10 10' "$(stats all.blockhistory '.all.transactions_per_block | "\(.min) \(.max)"')"
"$MEMOIR" blocks stats both/*.blockhistory --json >lag.json
at_least 'lag compares nodes' 1 "$(jq '.files[1].lag.heights' lag.json)"
equal lag-of-the-first 1 "$(jq '[.files[].lag.first] | (add >= ([1, 1] | length)) | if . then 1 else 0 end' lag.json)"

# Lines as the original wrote them: 3 s and 30 transactions each, with a comment, an empty line and limits beside them.
python3 - >original.blockhistory <<'EOF'
import base64, struct
print('# by hand\n')
for i in range(30):
    block = b'\x83\xa3rnd' + bytes([i + 1]) + b'\xa2ts\xce' + struct.pack('>I', 1700000000 + 3 * i) + b'\xa2tc\xcd' + struct.pack('>H', 1000 + 30 * i)
    print(base64.b64encode(b'\x82\xa5block' + block + b'\xa5_time\xcb' + struct.pack('>d', 1700000000.25 + 3 * i)).decode())
EOF
"$MEMOIR" blocks original.blockhistory --all --stats --plot >original.txt 2>original.err
equal 18.5-original-read 0 $?
equal 18.5-numbers '30 1870 30 30 3 3 10 10' "$(jq -r '"\(.blocks) \(.tc) \(.mintxn) \(.maxtxn) \(.mindt) \(.maxdt) \(.mintps) \(.maxtps)"' original.blockhistory.stats)"
at_least 18.5-text 3 "$(grep -c '\[.*-.*\]' original.txt)"
equal '18.6 six charts' 6 "$(python3 -c '
import xml.dom.minidom, sys
texts = xml.dom.minidom.parse("original.blockhistory_hist.svg").getElementsByTagName("text")
print(len([t for t in texts if t.getAttribute("class") == "b"]))')"
if [ -x "$BUILD/memoir-png" ]; then equal '18.6 as PNG' PNG "$(head -c 4 original.blockhistory_hist.png | tail -c 3)"; else skip '18.6 as PNG' "memoir-png is not built"; fi
equal csv-rows 31 "$("$MEMOIR" blocks stats original.blockhistory --csv | wc -l)"
echo '{"min":5,"max":10,"all":[5,10]}' >rounds.json
equal limits-beside '6 24' "$(stats original.blockhistory '| "\(.blocks) \(.outside_limits)"')"
equal limits-by-hand 3 "$(stats original.blockhistory .blocks --start 8)"
echo 'this is no history' >odd.blockhistory
"$MEMOIR" blocks stats odd.blockhistory 2>odd.err
equal odd-file 1 $?
one_sentence odd-file-told odd.err 'no blocks'
ok end
