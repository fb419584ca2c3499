#!/usr/bin/env bash
# Under pressure (three busy loops, recorder and program at nice 19 and in a cgroup of 256 MiB) nothing becomes false: the totals of programs
# that keep books, by call path; what an attached one did; waits.  `./dev prove pressure` runs the core of the tests like this.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/books.bash"
. "$TOP/tests/system/pressure.bash"

trap 'end_pressure; leave_house' EXIT
begin_pressure "$PWD"
[ -z "$unlimited" ] || skip memory-limit "$unlimited"

compare one-thread --sharp --seed 3 --ops 5000 --paths 64
compare threads --threads 4 --seed 5 --ops 2000 --paths 16
compare wide --seed 7 --ops 500 --sizes pages --chains --queue

"$MEMOIR" run --quiet -o crowd.memoir -- "$subjects/subject-crowd" 4 5000 10 >crowd.books
equal crowd-status 0 $?
read -r calls bytes frees <crowd.books
equal crowd-nothing-lost 0 "$(quality crowd.memoir lost_events)"
at_least crowd-calls "$calls" "$(summary crowd.memoir calls)"
at_least crowd-bytes "$bytes" "$(summary crowd.memoir allocated_bytes)"
at_least crowd-frees "$frees" "$(summary crowd.memoir freed_calls)"
equal crowd-leaked 40000 "$("$MEMOIR" report crowd.memoir --metric heap.leaked --filter '^makes$' --json | jq '[.rows[].value] | add // 0')"

# Attached: what is recorded is the program's own, or an estimate or a gap that says so.
"$subjects/subject-works_for_seconds" 200 >attached.out &
program=$!
wait_until 60 has_line attached.out working
"$MEMOIR" attach --quiet --for 1s -o attached.memoir $program 2>attached.err
status=$?
if is_gone $program; then not_ok attached-lives "it is gone"; else ok attached-lives; fi
kill -9 $program && wait $program 2>/dev/null
if [ ! -e attached.memoir ]; then # it may refuse where nobody has time for it, but not silently
    equal attached-refused 1 $status
    one_sentence attached-says-why attached.err 'memoir: '
elif [ "$(fact attached.memoir '.quality | .lost_events + .thinned_calls')" = 0 ]; then
    equal attached-exact 0 $status
else
    at_least attached-says-so 1 "$("$MEMOIR" report attached.memoir | grep -Eci 'lost|estimated')"
fi

# Time: what was recorded is there, whoever was late.
"$MEMOIR" cpu --quiet --off-cpu -o time.memoir -- "$subjects/subject-waits_known" 3 >time.out 2>time.err
equal time-status 0 $?
equal time-measured 99 "$("$MEMOIR" info time.memoir --json | jq .quality.time.hz)"
at_least time-waits 15 "$("$MEMOIR" info time.memoir --json | jq '.quality.time | .waits + .waits_lost')"
[ -z "$pressure_folder" ] || equal nobody-was-killed 0 "$(killed_for_memory)"
