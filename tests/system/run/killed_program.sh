#!/usr/bin/env bash
# kill -9 of the program: every event it had written is in the recording.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

killed=
trap '[ -z "$killed" ] || kill -9 "$killed" 2>/dev/null' EXIT

"$MEMOIR" run -o prey.memoir -- "$subjects/subject-waits_to_be_killed" 200000 >out 2>err &
running=$!
if ! wait_until 60 has_line out '^[0-9]+ [0-9]+$'; then
    not_ok ready "the program did not get there"
    kill $running
    exit 0
fi
read -r killed held <out
kill -9 "$killed"
wait $running
equal status 137 $?
killed=
equal held 6000000 "$held"
equal leaked "$held" "$(summary prey.memoir leaked_bytes)"
equal calls 200000 "$(summary prey.memoir calls)"
equal where "$held 150000" "$(site prey.memoir heap.leaked in_prey main)"
equal nothing-lost 0 "$(quality prey.memoir lost_events)"
if grep -q 'at death: ' err; then ok at-death; else not_ok at-death "$(head -n 3 err)"; fi

# Threads are killed in the middle of what they do: a call that never returned is not lost.
for i in 1 2 3 4 5; do
    "$MEMOIR" run --quiet -o busy$i.memoir -- "$subjects/subject-works_for_seconds" 100 >out &
    running=$!
    wait_until 60 pgrep -P $running -f subject-works >pids
    sleep 0.7
    killed=$(pgrep -P $running -f subject-works)
    kill -9 "$killed"
    wait $running
    killed=
    fact busy$i.memoir '[.quality.lost_events, .quality.lost_calls, .quality.lost_frees,
        .summary.heap.peak_bytes - .summary.heap.peak_bytes_low] | join(" ")'
done >lost
equal killed-in-the-middle "0 0 0 0" "$(sort -u lost)"

# What the kernel would write into a core file, in KiB: private and writable, and nobody said to leave it out (dd).
core_kib() { # core_kib PID
    awk '/^[0-9a-f]+-[0-9a-f]+ / { private = $2 ~ /w.p$/; next }
        $1 == "Size:" { kib = $2 }
        $1 == "VmFlags:" && private && !/ dd( |$)/ { sum += kib }
        END { printf "%.0f\n", sum }' "/proc/$1/smaps"
}
"$subjects/subject-waits_to_be_killed" 100 >alone.out &
killed=$!
wait_until 60 has_line alone.out '^[0-9]+ [0-9]+$'
alone=$(core_kib $killed)
{ kill -9 $killed && wait $killed; } 2>/dev/null
"$MEMOIR" run --quiet -o core.memoir -- "$subjects/subject-waits_to_be_killed" 100 >core.out 2>err &
running=$!
wait_until 60 has_line core.out '^[0-9]+ [0-9]+$'
read -r killed _ <core.out
at_least core-alone 100 "$alone"
at_most core-hardly-larger $((alone + 1024)) "$(core_kib "$killed")"
kill -9 "$killed"
wait $running
killed=
