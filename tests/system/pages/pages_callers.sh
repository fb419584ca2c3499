#!/usr/bin/env bash
# memoir pages on many stacks that begin at one place: each page goes to the function that touched it.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_callers
begin_agent || not_ok agent-begins "$(cat agent.err)"

begin_subject "$MEMOIR" pages --agent "$socket" --every 200ms -o callers.memoir -- "$subjects/subject-many_callers"
wait_until 20 test -s callers.memoir
step touch || not_ok callers-step "it did not end"
wait_until 20 grep -q caller_81 steps.out
quiet callers callers.memoir "$(pgrep -P "$subject" -x subject-many_ca | head -n 1)"
end_subject
equal callers-status 0 $?

"$MEMOIR" report callers.memoir --metric pages.anon --top 100000 --json >callers.json
page=4096 pages=32768
without=$(jq '[.rows[] | select(any(.stack[]; .function == "[stack not taken]")) | .value] | add // 0' callers.json)
at_most callers-without-a-stack $((pages * page / 100)) "$without"
# Pages whose stack was on its way to be known may be the neighbour's.
wrong=$(jq -r '.rows[] | .value as $v | .stack[] | select(.function | test("^caller_")) | "\(.function) \($v / 4096)"' callers.json |
    awk 'NR == FNR { if (/^caller_/) want[$1] = $2; next } { got[$1] += $2 }
        END { for (name in want) { d = want[name] - got[name]; sum += d > 0 ? d : 0 } print sum + 0 }' steps.out -)
at_most callers-by-function $((pages / 50)) "$wrong"
equal callers-all 58 "$(jq -r '.rows[].stack[].function | select(test("^caller_"))' callers.json | sort -u | wc -l)"
echo "# $((without / page)) pages without a stack, $wrong with another's"
end_agent
equal agent-ends 0 $?
