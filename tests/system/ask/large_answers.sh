#!/usr/bin/env bash
# A small file with very deep stacks that share their frames: answers stay in proportion, and say what they left out.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/serve.bash"

# Recursion with a branch that allocates at each depth: 5,000 stacks of 2,501 frames on average.
awk 'BEGIN {
    depth = 5000
    print "v 10400 3\nX /usr/bin/deep\nI 1000 1000"
    n = split("deep main down branch deep.c", names, " ")
    for (i = 1; i <= n; i++) printf "s %x %s\n", length(names[i]), names[i]
    print "i 1000 1 2 5 a\ni 2000 1 3 5 14\ni 3000 1 4 5 1e\nt 1 0"
    for (k = 1; k <= depth; k++) printf "t 2 %x\n", k
    for (k = 1; k <= depth; k++) printf "t 3 %x\n", k + 1
    for (k = 1; k <= depth; k++) printf "a %x %x\n+ %x\n", 100 + k, depth + 1 + k, k - 1
    print "c 3e8"
}' >heaptrack.deep.1
total=$((5000 * 100 + 5000 * 5001 / 2))
"$MEMOIR" report heaptrack.deep.1 --json 2>/dev/null | tee >(wc -c >size) | tail -n 2 | head -n 1 >end.json
at_most json-size 600000000 "$(cat size)"
at_least json-says-what-is-left-out 1 "$(sed 's/.*"rows_left_out": \([0-9]*\).*/\1/' end.json)"
equal few-rows-are-whole null "$("$MEMOIR" report heaptrack.deep.1 --json --top 5 2>/dev/null | jq .too_large)"
equal few-rows-are-there '5 5002' "$("$MEMOIR" report heaptrack.deep.1 --json --top 5 2>/dev/null | jq -r '"\(.rows | length) \(.rows[0].stack | length)"')"

[ -x "$BUILD/memoir-serve" ] || exit 0
begin_server deep --listen 0 heaptrack.deep.1
get /api/report --max-time 100 >report.json
at_most served-size 120000000 "$(stat -c %s report.json)"
equal served-adds-up "$total" "$(jq '([.rows[].value] | add) + .too_large.value_left_out' report.json)"
equal served-rows 5000 "$(jq '(.rows | length) + .too_large.rows_left_out' report.json)"
end_server deep-ends
