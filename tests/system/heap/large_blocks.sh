#!/usr/bin/env bash
# Runs beside others.
# Live blocks at round distances: a recorder whose table has no room left in one eighth of it must not search for ever.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

for kib in 16 32 64 1024; do
    timeout -k 5 60 "$MEMOIR" run --quiet -o blocks.memoir -- python3 -c "a=[bytearray($kib << 10) for i in range(300)]"
    equal "python-$kib-kib-ends" 0 $?
    at_least "python-$kib-kib-peak" $((300 * (kib << 10))) \
        "$("$MEMOIR" report blocks.memoir --json | jq .summary.heap.peak_bytes)"
done
