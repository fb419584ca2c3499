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
# shellcheck disable=SC2016 # the inner shell's
"$MEMOIR" run --quiet -o others.memoir -- bash -c '
for name in IO PWR PROF VTALRM STKFLT; do trap "said=\$said\ $name" $name; done
trap "echo \$said; exit 0" TERM
echo ready
while :; do sleep 0.05; done' >others &
recorder=$!
wait_until 20 has_line others ready || not_ok begins-with-traps "it did not begin"
for name in IO PWR PROF VTALRM STKFLT; do
    kill -s $name $recorder
    sleep 0.3
done
kill -TERM $recorder
wait $recorder
equal status-others 0 $?
equal others-came "IO PWR PROF VTALRM STKFLT" "$(tail -n 1 others | xargs)"
