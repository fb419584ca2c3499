#!/usr/bin/env bash
# memoir ends as the program did: its status, or 128 and the number of the signal that killed it.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

for code in 0 1 3 42 126 127 255; do
    record status.memoir -- "$subjects/subject-exits" $code
    equal "status-$code" $code "$status"
done
equal status-recorded "1000 10" "$(site status.memoir heap.leaked before_end main)"

for signal in 1 2 6 9 11 13 15; do
    record signal.memoir -- "$subjects/subject-exits" signal $signal
    equal "signal-$signal" $((128 + signal)) "$status"
    if grep -q '^at death: ' signal.memoir.err || grep -q 'at death: ' signal.memoir.err; then
        ok "at-death-$signal"
    else
        not_ok "at-death-$signal" "$(head -n 3 signal.memoir.err)"
    fi
    equal "signal-$signal-recorded" "1000 10" "$(site signal.memoir heap.leaked before_end main)"
done

# Input, output and errors are the program's own.
printf 'one\ntwo\n' | "$MEMOIR" run -o pipe.memoir -- sh -c 'cat; echo complaint >&2; exit 4' >out 2>err
equal pipe-status 4 $?
equal pipe-output "one two" "$(tr '\n' ' ' <out | sed 's/ $//')"
equal pipe-errors complaint "$(grep complaint err)"
