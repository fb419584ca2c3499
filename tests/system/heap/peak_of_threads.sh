#!/usr/bin/env bash
# The peak of several threads that are never at it at once: no block of one counts beside one that another has freed before.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

# turns CASE THREADS TURNS SMALL: one large block, and what libc and the loader need for each thread.
turns() {
    local name=$1 least=100000 doubt
    shift
    record "$name.memoir" -- "$subjects/subject-takes_turns" "$@"
    equal "$name-status" 0 "$status"
    doubt=$(quality "$name.memoir" peak_order_bytes)
    at_least "$name-order-least" 10240 "$doubt"
    at_most "$name-order" $(($1 * 5120 + 5120)) "$doubt"
    at_least "$name-peak-least" "$least" "$(summary "$name.memoir" peak_bytes)"
    at_most "$name-peak" $((least + 2000 + 300 * $1 + doubt)) "$(summary "$name.memoir" peak_bytes)"
    # Never two of them.
    equal "$name-large-at-peak" 100000 "$("$MEMOIR" report "$name.memoir" --metric heap.peak --filter one_turn --json |
        jq '[.rows[] | .value] | add - (add % 100000)')"
}
for small in 0 1 5 20; do turns "four-$small" 4 20000 $small; done
turns two 2 20000 20
turns sixteen 16 4000 20

# Where it shows, the report says how well it is known.
"$MEMOIR" report four-5.memoir >text
order=$(quality four-5.memoir peak_order_bytes | awk '{ printf "%.1f", $1 / 1024 }')
at_least order-is-said 1 "$(grep -c "peak  .*±${order//./\\.} KiB: the order of events in different threads" text)"
record alone.memoir -- "$subjects/subject-leaks_100_blocks"
equal order-of-one-is-known 0 "$(quality alone.memoir peak_order_bytes)"
"$MEMOIR" report alone.memoir >text
equal order-of-one-is-not-said 0 "$(grep -c 'the order of events in different' text)"
