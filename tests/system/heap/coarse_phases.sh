#!/usr/bin/env bash
# More marks than a small file has room for: they get coarser as time does, and what was counted from one to the next stays
# exact, or says what it is of.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

"$MEMOIR" run --quiet --max-size 64K -o marks.memoir -- "$subjects/subject-marks_often" 600 >books
equal status 0 $?
equal coarsened true "$(quality marks.memoir coarsened)"
at_most size 65536 "$(stat -c %s marks.memoir)"
"$MEMOIR" report marks.memoir --by phase --metric heap.calls --json >phases.json
# The loader, and what prints the books, are in the pieces too: a few blocks.
jq -r '.rows[] | select(.name) | [.name, .calls, .exact, .counted_from_ns <= .from_ns, .counted_to_ns >= .to_ns] | @tsv' phases.json >rows
awk 'NR == FNR { is[$1] = $2; next }
    { seen++; exact += $3 == "true"; outside += $4 != "true" || $5 != "true" }
    $3 == "true" && ($2 < is[$1] || $2 > is[$1] + 40) { wrong++; if (!first) first = $1 " has " $2 ", made " is[$1] }
    END { print seen + 0, exact + 0, wrong + 0, outside + 0, first }' books rows >sums
read -r seen exact wrong outside first <sums
at_least many-are-there 300 "$seen"
at_least most-are-exact $((seen * 9 / 10)) "$exact"
if [ "$wrong" = 0 ]; then ok exact-is-exact; else not_ok exact-is-exact "$wrong are not: $first"; fi
equal others-say-of-what 0 "$outside"
# Ten seconds are not one bucket.
at_least growth-has-points 8 "$("$MEMOIR" report marks.memoir --by phase --json | jq '[.rows[].counted_to_ns] | unique | length')"
# By call site nothing but buckets tells: where none ends at a mark any more, the answer says what it is of.
says_other() { # says_other MARK: how often
    "$MEMOIR" report marks.memoir --metric heap.calls --between "mark:$1" | grep -c '^warning: the recording has only longer time ranges'
}
equal an-old-mark-is-of-more 1 "$(says_other m1)"
equal a-new-one-is-not 0 "$(says_other m597)"
"$MEMOIR" diff marks.memoir --between mark:m1 --with mark:m3 >same
equal one-stretch-is-not-two 1 "$(grep -c '^warning: both times lie in one time range' same)"
equal one-stretch-in-json 1 "$("$MEMOIR" diff marks.memoir --between mark:m1 --with mark:m3 --json | jq '.notes | length')"
