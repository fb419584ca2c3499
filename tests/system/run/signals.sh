#!/usr/bin/env bash
# What is sent to memoir run is meant for the program: real-time signals, each of them, and to stop and go on.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

stands() { # stands PID
    grep -q '^State:.T' "/proc/$1/status"
}

goes_on() { # goes_on PID
    ! stands "$1"
}

"$MEMOIR" run --quiet -o signals.memoir -- "$subjects/subject-counts_signals" >out &
recorder=$!
wait_until 20 has_line out ready || not_ok begins "it did not begin"
program=$(descendants $recorder | head -n 1)
for ((i = 0; i < 20; i++)); do kill -s RTMIN+1 $recorder; done
sleep 0.5
kill -TSTP $recorder
if wait_until 10 stands "$program"; then ok program-stands; else not_ok program-stands "it runs"; fi
if wait_until 10 stands $recorder; then ok memoir-stands-too; else not_ok memoir-stands-too "it runs"; fi
kill -CONT $recorder
if wait_until 10 goes_on "$program"; then ok program-goes-on; else not_ok program-goes-on "it stands"; fi
if wait_until 10 goes_on $recorder; then ok memoir-goes-on; else not_ok memoir-goes-on "it stands"; fi
sleep 0.3
kill -TERM $recorder
wait $recorder
equal status 0 $?
equal all-came "20 queued, continued" "$(tail -n 1 out)"

# A program that is stopped by somebody else is no reason to stand.
"$MEMOIR" run --quiet -o other.memoir -- "$subjects/subject-counts_signals" >again &
recorder=$!
wait_until 20 has_line again ready || not_ok begins-again "it did not begin"
program=$(descendants $recorder | head -n 1)
kill -STOP "$program" || not_ok begins-again "it was not found"
wait_until 10 stands "$program"
sleep 0.3
if stands $recorder; then not_ok memoir-goes-on-alone "it stands, too"; else ok memoir-goes-on-alone; fi
kill -CONT "$program"
kill -TERM $recorder
wait $recorder
equal status-again 0 $?

# Whatever else would end the one that it is sent to.
names="IO PWR PROF VTALRM STKFLT ABRT BUS FPE ILL SEGV SYS TRAP XCPU XFSZ PIPE"
# shellcheck disable=SC2016 # the inner shell's
NAMES=$names "$MEMOIR" run --quiet -o others.memoir -- bash -c '
for name in $NAMES; do trap "echo $name" $name; done
trap "exit 0" TERM
echo ready
while :; do sleep 0.05; done' >others &
recorder=$!
wait_until 20 has_line others ready || not_ok begins-with-traps "it did not begin"
for name in $names; do
    kill -s "$name" $recorder
    wait_until 10 has_line others "$name"
done
kill -TERM $recorder
wait $recorder
equal status-others 0 $?
equal others-came "ready $names" "$(xargs <others)"

# What a watchdog sends ends the program, and memoir after it.
"$MEMOIR" run --quiet -o abort.memoir -- "$subjects/subject-counts_signals" >aborted &
recorder=$!
wait_until 20 has_line aborted ready || not_ok begins-for-abort "it did not begin"
program=$(descendants $recorder | head -n 1)
kill -ABRT $recorder
wait $recorder
equal status-abort 134 $?
if wait_until 10 is_gone "$program"; then ok none-left; else not_ok none-left "it runs"; fi
equal says-abort 6 "$(fact abort.memoir .recording.signal)"
