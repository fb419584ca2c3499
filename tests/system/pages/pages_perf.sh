#!/usr/bin/env bash
# memoir pages without an agent: the same answers from perf events.
# shellcheck source=/dev/null disable=SC2154,SC2034
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 3)
if [ "$(id -u)" != 0 ]; then
    skip pages_perf "needs root for the tracepoints that tell of moved memory"
    exit 0
fi
may_lose=yes
touches_all perf --source perf
at_least perf-anon-mostly 25165824 "$(inside perf.memoir pages.anon touch_64_mib)"
at_least perf-complete 0.95 "$("$MEMOIR" report perf.memoir --json | jq .quality.complete_stacks_share)"

# Perf events tell of children unasked; they have recordings only when those are wanted.
mkdir alone family
(cd alone && "$MEMOIR" pages --quiet --source perf -o first.memoir -- sh -c 'for i in 1 2 3; do sleep 0.3; done; :')
equal no-children "first.memoir" "$(ls alone)"
(cd family && "$MEMOIR" pages --quiet --source perf --children -o first.memoir -- sh -c 'for i in 1 2 3; do sleep 0.3; done; :')
at_least children 2 "$(find family -name '*.memoir' | wc -l)"

# Without an agent it says so, and goes on.
"$MEMOIR" pages -o any.memoir -- "$subjects/subject-works_for_seconds" 1 >/dev/null 2>any.err
equal without-agent-status 0 $?
if [ -S /run/memoir/agent.sock ]; then
    skip without-agent-says-so "an agent runs here"
else
    equal without-agent-says-so 1 "$(grep -c 'no agent.*perf events' any.err)"
fi
at_least without-agent 4096 "$(total any.memoir pages.anon)"
"$MEMOIR" pages --source none 1 2>none.err
equal wrong-source-status 2 $?
one_sentence wrong-source none.err 'it is any, agent or perf'

# One's own processes need no privilege.
if [ "$paranoid" -gt 2 ]; then
    skip unprivileged "perf_event_paranoid is $paranoid"
    exit 0
fi
open_house works_for_seconds
as_nobody "$house/memoir" pages --source perf -o own.memoir -- "$house/subject-works_for_seconds" 1 >/dev/null 2>own.err
equal unprivileged-status 0 $?
at_least unprivileged 4096 "$(total "$house/own/own.memoir" pages.anon)"
as_nobody "$house/memoir" pages --source perf 1 2>err
equal unprivileged-others-status 1 $?
one_sentence unprivileged-others err '.'
ok ends
