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

# What had to be larger for a while, and is not in the end, does not say that it is.
cap=$((384 << 10))
record shrunk.memoir --max-size 384K -- "$subjects/subject-generator" --sharp --ops 1000000 --books books
at_most shrunk-bytes $cap "$(stat -c %s shrunk.memoir)"
equal says-no-larger-file 0 "$("$MEMOIR" info shrunk.memoir | grep -c 'larger than --max-size')"
