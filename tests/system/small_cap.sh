#!/usr/bin/env bash
# A run with far more to tell than --max-size: the file stays under the cap, totals and peak exact.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

cap=$((512 << 10))
record capped.memoir --max-size 512K -- "$subjects/subject-generator" --sharp --ops 5000000 --pace 500 \
    --books books
equal status 0 "$status"
equal nothing-lost 0 "$(quality capped.memoir lost_events)"
at_most file-bytes $cap "$(stat -c %s capped.memoir)"
read -r -a total < <(grep "^total" books)
equal calls "${total[1]}" "$(summary capped.memoir calls)"
equal bytes "${total[2]}" "$(summary capped.memoir allocated_bytes)"
equal leaked "${total[6]}" "$(summary capped.memoir leaked_bytes)"
equal peak "${total[8]}" "$(summary capped.memoir peak_bytes)"
# The whole picture of the peak is there.
equal peak-rows "${total[8]}" "$(jq '[.rows[].value] | add' "$(json_of capped.memoir heap.peak)")"
