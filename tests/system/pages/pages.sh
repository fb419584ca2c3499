#!/usr/bin/env bash
# memoir pages: which functions the resident pages come from, against what the subject did and what the kernel counts.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

# The whole life of a program, from its exec on.
touches_all agent --agent "$socket"
cached=$(inside agent.memoir pages.cache write_file_12_mib)
at_least written-file-is-cache $((12 * mib)) "$cached"
at_most written-file-is-cache-most $((12 * mib + 16384)) "$cached" # and what the file system reads to write it
equal before-is-nothing 0 "$(inside agent.memoir pages.resident '[resident before attach]')"
"$MEMOIR" report agent.memoir --metric pages.resident --json >t.json
equal nothing-lost 0 "$(jq .quality.lost_events t.json)"
at_least stacks-complete 0.99 "$(jq .quality.complete_stacks_share t.json)"
at_least over-time 2 "$("$MEMOIR" report agent.memoir --metric pages.anon --between 0,1s --json | jq .total.value)"
for what in "flame agent.memoir --metric pages.resident -o t.svg" "export agent.memoir --metric pages.anon --to folded -o t.folded" \
    "diff agent.memoir agent.memoir --metric pages.anon" "plot agent.memoir -o t.plot.svg"; do
    # shellcheck disable=SC2086
    "$MEMOIR" $what >/dev/null 2>what.err
    equal "works-${what%% *}" 0 $?
done
equal folded-adds-up "$(total agent.memoir pages.anon)" "$(awk '{ sum += $NF } END { printf "%.0f\n", sum }' t.folded)"

# A process that runs already.
begin_subject "$subjects/subject-touches_pages"
step anon
"$MEMOIR" pages --agent "$socket" --every 200ms -o late.memoir "$subject" 2>late.err &
recorder=$!
started+=("$recorder")
for _ in $(seq 100); do
    [ -s late.memoir ] && break
    sleep 0.05
done
sleep 0.5
step huge
sleep 1
kill -INT "$recorder"
wait "$recorder"
equal attached-status 0 $?
at_least before-attach $((64 * mib)) "$(inside late.memoir pages.anon '[resident before attach]')"
equal since-attach $((20 * mib)) "$(inside late.memoir pages.anon huge_20_mib)"
equal attached-resident-is-the-kernels "$(status_bytes "$subject" VmRSS)" "$(total late.memoir pages.resident)"
end_subject

# Children have their own recordings, with what they have from their parent.
rm -f ./*touches_pages*.memoir
begin_subject "$MEMOIR" pages --agent "$socket" --children --every 200ms -o family.memoir -- "$subjects/subject-touches_pages"
step anon
step fork
child=$(awk '$1 == "child" { print $2 }' steps.out)
child_is_recorded() {
    children=(./*touches_pages*"$child"*.memoir)
    [ "$(inside "${children[0]}" pages.anon touch_5_mib)" = $((5 * mib)) ]
}
wait_until 15 child_is_recorded
children=(./*touches_pages*"$child"*.memoir)
equal child-has-a-recording 1 "$(find . -name "*touches_pages*$child*.memoir" | wc -l)"
equal child-touched $((5 * mib)) "$(inside "${children[0]}" pages.anon touch_5_mib)"
equal child-inherits $((64 * mib)) "$(inside "${children[0]}" pages.anon touch_64_mib)"
end_subject

# Memory of the kernel itself: the tables for 64 MiB of pages are 32 pages.
begin_subject "$MEMOIR" pages --agent "$socket" --kernel --every 200ms -o kernel.memoir -- "$subjects/subject-touches_pages"
step anon
sleep 1
tables=$(inside kernel.memoir pages.kernel touch_64_mib)
at_least kernel-page-tables $((31 * 4096)) "$tables"
at_most kernel-page-tables-most $((256 * 1024)) "$tables"
equal kernel-is-not-resident $((64 * mib)) "$(inside kernel.memoir pages.anon touch_64_mib)"
end_subject

# With the heap, in one recording.
"$MEMOIR" run --agent "$socket" -o both.memoir -- "$subjects/subject-leaks_100_blocks" >both.out 2>both.err
equal with-heap-status 0 $?
at_least with-heap 1 "$(jq .summary.heap.calls <("$MEMOIR" report both.memoir --json))"

# The program finds signals as they would be without us.
equal signals "$(grep Sig /proc/self/status | grep -v SigQ)" \
    "$("$MEMOIR" pages --quiet --agent "$socket" -o signals.memoir -- grep Sig /proc/self/status | grep -v SigQ)"

# What cannot be.
"$MEMOIR" pages --agent "$socket" -- ./no-such-program 2>none.err
equal no-program-status 127 $?
one_sentence no-program none.err 'no-such-program: not found'
"$MEMOIR" pages --agent "$socket" 999999999 2>none.err
equal no-process-status 1 $?
one_sentence no-process none.err 'no process 999999999'
"$MEMOIR" pages --agent "$socket" 2 2>none.err
equal kernel-thread-status 1 $?
one_sentence kernel-thread none.err 'kernel thread'
"$MEMOIR" pages --agent "$socket" 2>none.err
equal nobody-status 2 $?
one_sentence nobody none.err 'no process: give a PID'
"$MEMOIR" pages --agent "$PWD/nowhere.sock" 1 2>none.err
equal no-agent-status 1 $?
one_sentence no-agent none.err 'sudo memoir agent'
"$MEMOIR" run --agent "$PWD/nowhere.sock" -- true 2>none.err
equal run-without-agent-status 1 $?
one_sentence run-without-agent none.err 'sudo memoir agent'
end_agent
equal agent-ends 0 $?
equal socket-is-gone no "$([ -e "$socket" ] && echo yes || echo no)"
