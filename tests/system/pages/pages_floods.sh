#!/usr/bin/env bash
# memoir pages where there is too much: stacks, events, processes.  The sums stay right, and what is missing is told.
# shellcheck source=/dev/null disable=SC2154,SC2016
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_floods
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"

# did NAME: whether the subject has done the step.
did() {
    grep -q "^$1\$" steps.out
}
# slow_step NAME: as step, with more patience.
slow_step() {
    echo "$1" >&7
    wait_until 90 did "$1"
}

# 32768 stacks, each once.
begin_subject "$subjects/subject-many_stacks"
"$MEMOIR" pages --agent "$socket" --every 200ms -o flood.memoir "$subject" 2>flood.err &
recorder=$!
started+=("$recorder")
wait_until 10 test -s flood.memoir
sleep 0.5
slow_step flood
equal flood-is-survived 0 $?
quiet flood flood.memoir "$subject"
at_least flood-by-function $((100 * mib)) "$(($(inside flood.memoir pages.anon touch_from_everywhere) + \
    $(inside flood.memoir pages.anon '[stack not taken]') + $(inside flood.memoir pages.anon '[touched while events were lost]')))"

# Nobody reads the ring for a while.
kill -STOP "$recorder"
slow_step again
equal ring-full-is-survived 0 $?
kill -CONT "$recorder"
quiet ring-full flood.memoir "$subject"
kill -INT "$recorder"
wait "$recorder"
equal flood-status 0 $?
"$MEMOIR" report flood.memoir --json >flood.json
at_least ring-full-is-counted 1 "$(jq .quality.lost_events flood.json)"
equal ring-full-is-told 1 "$(grep -c 'events were lost' flood.err)"
taken=$(inside flood.memoir pages.anon '[stack not taken]')
at_least flood-has-no-stack 4096 "$taken"
at_least flood-is-counted 1 "$(jq .quality.stack_ends.not_taken flood.json)"
equal flood-is-told 1 "$("$MEMOIR" report flood.memoir | grep -c 'faults have no stack')"
echo "# $(jq -c '.quality | [.events, .lost_events, .stack_ends]' flood.json), $taken bytes without a stack"
end_subject
equal subject-is-unharmed 0 $?

# Processes that are over before anybody can look.
mkdir short
(cd short && timeout 60 "$MEMOIR" pages --quiet --agent "$socket" --children --every 100ms -o first.memoir -- \
    bash -c 'for i in $(seq 60); do /bin/true & (exec ls /); done; wait' >/dev/null 2>short.err)
equal short-lived-status 0 $?
equal short-lived-errors '' "$(cat short/short.err)"
bad=
for file in short/*.memoir; do
    "$MEMOIR" report "$file" --metric pages.resident >/dev/null 2>&1 || bad="$bad $file"
done
equal short-lived-open '' "$bad"
equal short-lived-have-names '' "$(for file in short/*.memoir; do "$MEMOIR" info --json "$file" | jq -r .recording.program; done | grep -v '^\(/usr\)\?\(/bin/\)\?\(bash\|ls\|true\|seq\|child-of-bash\)$')"
# 122 processes in all, with seq: each has a recording, or is counted by its parent if that has one.
recordings=$(find short -name '*.memoir' | wc -l)
missed=$(for file in short/*.memoir; do "$MEMOIR" report "$file" --json; done |
    jq -s '[.[].quality.notes[] | capture("^(?<n>[0-9]+) child processes ended").n | tonumber] | add // 0')
at_most short-lived-all 122 $((recordings + missed))
echo "# $recordings recordings of short-lived processes, $missed missed"
end_agent
equal agent-ends 0 $?
