#!/usr/bin/env bash
# Programs that allocate faster than can be recorded and must not wait: what is left out is known by samples, and every number
# that memoir shows for it is an estimate whose range holds the program's own.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

churns=$subjects/subject-churns

ask() { # ask FILE QUERY
    "$MEMOIR" report "$1" --json | jq -r "$2"
}

# The loader and libc allocate a little besides.
is_estimated() { # is_estimated CASE FILE BOOKS
    local calls frees live peak
    read -r calls frees live peak <"$3"
    at_least "$1-calls" "$calls" "$(ask "$2" .summary.heap.calls)"
    at_most "$1-calls-not-more" $((calls + 50)) "$(ask "$2" .summary.heap.calls)"
    at_most "$1-frees-low" $((frees + 50)) "$(ask "$2" .summary.heap.freed_calls_low)"
    at_least "$1-frees-high" "$frees" "$(ask "$2" .summary.heap.freed_calls_high)"
    at_most "$1-live-low" $((live + 100000)) "$(ask "$2" .summary.heap.leaked_bytes_low)"
    at_least "$1-live-high" "$live" "$(ask "$2" .summary.heap.leaked_bytes_high)"
    at_most "$1-peak-low" $((peak + 100000)) "$(ask "$2" .summary.heap.peak_bytes_low)"
    at_least "$1-peak-high" "$peak" "$(ask "$2" .summary.heap.peak_bytes_high)"
    at_most "$1-none-from-before" 50 "$(ask "$2" .quality.unknown_frees)"
}

thinned=0
while read -r name calls slots largest; do
    "$MEMOIR" run --quiet --never-wait=1us -o "$name.memoir" -- "$churns" "$calls" "$slots" "$largest" >"$name.books"
    is_estimated "$name" "$name.memoir" "$name.books"
    thinned=$((thinned + $(ask "$name.memoir" .quality.thinned_calls)))
done <<'SHAPES'
few 1500000 1000 300
many 1500000 20000 100
large 400000 2000 20000
handful 1500000 5 64
tiny 1500000 100000 40
SHAPES
at_least some-were-left-out 1 "$thinned"

# While it is being recorded, and after the recorder has died.
"$MEMOIR" run --quiet --never-wait=1us -o going.memoir -- "$churns" 1500000 20000 100 30 >going.books &
recorder=$!
wait_until 20 test -s going.books
sleep 3
is_estimated going going.memoir going.books
kill -9 $recorder
wait $recorder 2>/dev/null
is_estimated killed going.memoir going.books
program=$("$MEMOIR" info --json going.memoir | jq .recording.pid)
[[ $program =~ ^[0-9]+$ ]] && grep -q churns "/proc/$program/cmdline" 2>/dev/null && kill "$program"

# A program that stands still cannot be left: what was left out is known all the same, and no block from before is invented.
mkfifo stopped.in
"$churns" 1500000 20000 100 60 later <stopped.in >stopped.books &
target=$!
started+=("$target")
exec 9>stopped.in
if attach stopped.memoir --never-wait=1us "$target"; then
    echo >&9
    wait_until 20 test -s stopped.books
    kill -STOP "$target"
    end_attach
    is_estimated stopped stopped.memoir stopped.books
    at_least stopped-left-out 1 "$(ask stopped.memoir .quality.thinned_calls)"
    equal stopped-none-is-certain 0 "$(ask stopped.memoir .before.freed_calls_low)"
    at_least stopped-nobody-knows 1 "$(ask stopped.memoir .before.freed_calls_high)"
    if "$MEMOIR" report stopped.memoir | tr -s ' \n' ' ' | grep -q "freed since (at most"; then
        ok stopped-says-so
    else
        not_ok stopped-says-so "$("$MEMOIR" report stopped.memoir | head -n 12)"
    fi
fi

# The error of a row is that of its blocks: none where every block is always taken.
"$MEMOIR" run --quiet --heap sample=512K -o sampled.memoir -- "$subjects/subject-many_sizes" >/dev/null
error() { # error METRIC FUNCTION KEY: of a row by function
    "$MEMOIR" report sampled.memoir --metric "$1" --by function --json | jq "[.rows[] | select(.stack[0].function == \"$2\") | .$3] | .[0]"
}
at_least small-blocks-have-an-error 1000000 "$(error heap.allocated small_here error)"
at_most large-blocks-hardly 6000000 "$(error heap.allocated large_here error)"
at_least callers-have-one-too 1000000 "$(error heap.allocated start_thread total_error)"
"$MEMOIR" report sampled.memoir --metric heap.allocated --by function >functions.txt
if grep -q '±.*±.*start_thread' functions.txt; then ok errors-by-function; else not_ok errors-by-function "$(tail -n 8 functions.txt)"; fi
