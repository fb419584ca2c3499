#!/usr/bin/env bash
# Every resident byte has an owner: subjects whose answer is known, and real programs.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# Starts and records a program, waits until it is quiet, and explains it into NAME.json.  $program is its pid.
explained() { # explained NAME PROGRAM…
    local name=$1
    shift
    begin "$name" "$MEMOIR" run --quiet -o "$name.memoir" -- "$@"
    wait_until 30 has_line "$name.out" ready || not_ok "$name-begins" "$(head -c 300 "$name.out")"
    explain "$name"
}

explain() { # explain NAME: of the program under $target
    program=$(descendants "$target" | head -n 1)
    "$MEMOIR" explain "$program" --json --top 100000 >"$1.json" 2>"$1.err"
    equal "$1-status" 0 $?
}

end_target() {
    kill -9 "$program" 2>/dev/null
    wait "$target" 2>/dev/null
}

owner() { # owner NAME METRIC
    jq -r --arg metric "$2" '.owners[] | select(.metric == $metric) | .value' "$1.json"
}

# Bytes of one metric under a function, or an owner's name.
owned() { # owned NAME METRIC FUNCTION
    jq -r --arg metric "$2" --arg function "$3" '[.owners[] | select(.metric == $metric) | .rows[]
        | select(any(.stack[]; .function == $function)) | .value] | add // 0' "$1.json"
}

# On a quiet program the parts are the page walk, and that is what the kernel counts, to the byte.
adds_up() { # adds_up NAME
    at_least "$1-walked" 100000 "$(jq .residency.walked_bytes "$1.json")"
    equal "$1-parts" "$(jq .residency.walked_bytes "$1.json")" "$(jq '[.owners[].value] | add' "$1.json")"
    equal "$1-rows" "$(jq .residency.walked_bytes "$1.json")" "$(jq '[.owners[].rows[].value] | add' "$1.json")"
    equal "$1-kernel" "$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$program/status")" "$(jq .residency.walked_bytes "$1.json")"
    equal "$1-before" "$(jq .residency.rss_before_bytes "$1.json")" "$(jq .residency.rss_after_bytes "$1.json")"
    at_most "$1-unexplained" 0.01 "$(jq '[.owners[] | select(.metric == "unexplained.resident") | .value][0] / .residency.walked_bytes' "$1.json")"
}

explained pins "$subjects/subject-pins_pages"
adds_up pins
while read -r site live held; do
    equal "pins-$site-live" "$live" "$(owned pins heap.resident "$site")"
    equal "pins-$site-held" "$held" "$(owned pins heap.held "$site")"
done < <(grep _site pins.out)
at_least pins-free 100000000 "$(owned pins heap.kept "main arena")"
equal pins-advice "trim" "$(jq -r '[.advice[].kind] | join(" ")' pins.json)"
at_least pins-trim 100000000 "$(jq '.advice[] | select(.kind == "trim") | .bytes' pins.json)"
"$MEMOIR" explain "$program" >pins.text 2>&1
equal pins-text 0 $?
for words in 'heap, held' 'large_site' 'main arena' 'changed during capture: 0 B' 'malloc_trim'; do
    if grep -q "$words" pins.text; then ok "pins-says-${words%% *}"; else not_ok "pins-says-${words%% *}" "$(head -c 2000 pins.text)"; fi
done
"$MEMOIR" explain "$program" --csv --top 100000 >pins.csv
# The advice is true: what malloc_trim gives back is what was said, but for a few pages that it leaves on top.
resident() {
    awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$program/status"
}
before=$(resident)
kill -USR1 "$program"
wait_until 10 has_line pins.out trimmed
advised=$(jq '.advice[] | select(.kind == "trim") | .bytes' pins.json)
at_most pins-trimmed 100000 "$(awk -v a="$advised" -v b=$((before - $(resident))) 'BEGIN { off = a - b; print (off < 0 ? -off : off) }')"
equal pins-csv "$(owner pins heap.held)" "$(awk -F, '$1 == "heap.held" { sum += $2 } END { printf "%.0f\n", sum }' pins.csv)"
end_target
# The same from its recording, and in the other commands.
"$MEMOIR" explain pins.memoir --json --top 100000 >later.json
equal pins-recorded "$(owner pins heap.held)" "$(owner later heap.held)"
equal pins-report "$(owner pins heap.held)" "$("$MEMOIR" report pins.memoir --metric heap.held --json --top 1 | jq .total.value)"
equal pins-resident "$(jq .residency.walked_bytes pins.json)" "$("$MEMOIR" report pins.memoir --metric resident --json --top 1 | jq .total.value)"
"$MEMOIR" flame pins.memoir --metric heap.held -o held.svg 2>flame.err
equal pins-flame 0 $?
if grep -q large_site held.svg; then ok pins-flame-site; else not_ok pins-flame-site "$(cat flame.err)"; fi

explained hoard "$subjects/subject-hoards_arenas"
adds_up hoard
equal hoard-arenas 4 "$(jq '[.owners[] | select(.metric == "heap.kept") | .rows[] | select(.stack[0].function | startswith("arena of threads")) | select(.value > 7000000)] | length' hoard.json)"
equal hoard-live 4000 "$(owned hoard heap.resident last_block)"
equal hoard-advice true "$(jq '[.advice[].kind] | contains(["arenas"])' hoard.json)"
end_target

explained maps "$subjects/subject-maps_and_stacks" "$PWD/mapped.file"
adds_up maps
equal maps-sparse $((6 << 20)) "$(owned maps maps.resident sparse_cache)"
equal maps-cut $((6 << 20)) "$(owned maps maps.resident cut_cache)"
equal maps-shared $((4 << 20)) "$(owned maps maps.resident share)"
equal maps-behind-file $((2 << 20)) "$(owned maps maps.resident follow_file)"
equal maps-file $((5 << 20)) "$(owned maps files.resident "$PWD/mapped.file")"
equal maps-stacks 3 "$(jq '[.owners[] | select(.metric == "stacks.resident") | .rows[]] | length' maps.json)"
at_least maps-stack-large $((3 << 20)) "$(jq '[.owners[] | select(.metric == "stacks.resident") | .rows[].value] | max' maps.json)"
at_most maps-stacks-all $(((4 << 20) + 200000)) "$(owner maps stacks.resident)"
equal maps-advice true "$(jq '[.advice[] | select(.kind == "reserved") | .bytes] == [10485760]' maps.json)"
end_target

# What nobody traced is not called free.
begin off "$MEMOIR" run --quiet --heap off -o off.memoir -- "$subjects/subject-pins_pages"
wait_until 30 has_line off.out ready
explain off
adds_up off
equal off-live 0 "$(owner off heap.resident)"
equal off-free 0 "$(owner off heap.kept)"
at_least off-before 100000000 "$(owner off before.resident)"
end_target

# A recorder that stands still answers nobody: what it saw before is not passed off as now.
explained still "$subjects/subject-pins_pages"
kill -STOP "$target"
"$MEMOIR" explain "$program" >still.text 2>still.err
equal still-explain 0 $?
if grep -q 'warning: the recorder took no new snapshot' still.err; then ok still-said; else not_ok still-said "$(cat still.err)"; fi
kill -CONT "$target"
end_target

# Real programs.
explained python env PYTHONMALLOC=malloc /usr/bin/python3 -c '
import time
kept = [str(i) * 50 for i in range(100000)]
print("ready", flush=True)
time.sleep(600)'
adds_up python
at_least python-live 5000000 "$(owner python heap.resident)"
end_target

cat >load.sql <<'END'
create table t(a integer primary key, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000) insert into t select i, hex(randomblob(100)) from n;
select 'ready';
END
mkfifo sqlite.in
exec 9<>sqlite.in
cat load.sql >&9
begin sqlite "$MEMOIR" run --quiet -o sqlite.memoir -- sh -c 'exec sqlite3 <sqlite.in'
wait_until 30 has_line sqlite.out ready
explain sqlite
adds_up sqlite
at_least sqlite-live 10000000 "$(owner sqlite heap.resident)"
end_target
exec 9>&-

if command -v redis-server >/dev/null; then
    port=$((20000 + RANDOM % 20000))
    begin redis "$MEMOIR" run --quiet -o redis.memoir -- redis-server --port $port --save '' --daemonize no
    wait_until 30 redis-cli -p $port ping
    redis-cli -p $port eval "for i = 1, 100000 do redis.call('set', 'key:' .. i, string.rep('x', 100)) end" 0 >/dev/null
    explain redis
    equal redis-parts "$(jq .residency.walked_bytes redis.json)" "$(jq '[.owners[].value] | add' redis.json)"
    at_most redis-unexplained 0.01 "$(jq '[.owners[] | select(.metric == "unexplained.resident") | .value][0] / .residency.walked_bytes' redis.json)"
    at_least redis-live 15000000 "$(owner redis heap.resident)"
    end_target
else
    skip redis "redis-server is not installed"
fi

# Samples: the sum is exact, live bytes are estimates, and the rest of the heap is one part.
begin samples "$MEMOIR" run --quiet --heap sample=4K -o samples.memoir -- "$subjects/subject-pins_pages"
wait_until 30 has_line samples.out ready
explain samples
adds_up samples
read -r _ live _ < <(grep large_site samples.out)
# 500 blocks of 3000 bytes, each taken with p = 0.52: a standard deviation is 64 kB.
at_most samples-live 400000 "$(awk -v a="$live" -v b="$(owned samples heap.resident large_site)" 'BEGIN { off = a - b; print (off < 0 ? -off : off) }')"
equal samples-held 0 "$(owner samples heap.held)"
at_least samples-rest 100000000 "$(owned samples heap.kept "held or free: samples do not tell")"
if "$MEMOIR" explain "$program" | grep -q 'are estimates'; then ok samples-says-so; else not_ok samples-says-so "it does not"; fi
end_target

# A program that ran before: what is from then stands apart.
begin_obedient obeys
tell obeys "a 1000 1000"
attach obeys.memoir "$target"
tell obeys "a 1000 5000"
program=$target
"$MEMOIR" explain "$program" --json --top 100000 >obeys.json 2>obeys.err
equal attached-status 0 $?
adds_up obeys
equal attached-live 5000000 "$(owned obeys heap.resident allocate_blocks)"
at_least attached-before 1000000 "$(owner obeys before.resident)"
# The heap has grown since, and what is beside blocks there cannot be older: 8 bytes with each of 1000.
at_least attached-held-by-what-came-later 5000 "$(owner obeys heap.held)"
equal attached-kept 0 "$(owner obeys heap.kept)"
end_attach
exec 9>&-

# What cannot be explained, and why.
"$MEMOIR" explain 2>usage
equal usage 2 $?
one_sentence usage-sentence usage 'PID|FILE'
# A process that nobody records is looked at from outside.
/usr/bin/python3 -c '
import time
kept = [str(i) * 50 for i in range(100000)]
print("ready", flush=True)
time.sleep(600)' >outside.out &
program=$!
started+=("$program")
wait_until 20 has_line outside.out ready
"$MEMOIR" explain "$program" --json --top 100000 >outside.json
equal outside-status 0 $?
adds_up outside
at_least outside-heap 20000000 $(($(owner outside before.resident) + $(owner outside runtime.resident)))
at_least outside-runtime 8000000 "$(owner outside runtime.resident)" # Python's own arenas, as map knows them
if "$MEMOIR" explain "$program" | grep -q "is not being recorded"; then ok outside-says-so; else not_ok outside-says-so "it does not"; fi
kill "$program"
wait "$program" 2>/dev/null
"$MEMOIR" explain "$program" 2>gone
equal gone 1 $?
one_sentence gone-sentence gone "there is no process $program|no process"
"$MEMOIR" run --quiet --map-every off -o off.memoir -- ls / >/dev/null
"$MEMOIR" explain off.memoir 2>off
equal off 1 $?
one_sentence off-sentence off 'has no snapshot of the pages'
"$MEMOIR" run --map-every 1ms -- true 2>often
equal often 2 $?
one_sentence often-sentence often 'at least 100ms'
