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
