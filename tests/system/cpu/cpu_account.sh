#!/usr/bin/env bash
# With the agent, time on processors is what the kernel counts for the process, also where all processors are busy and the recorder has to
# take the place of the program; and what memoir itself does is shown as its own.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent cpu_account
subjects=$BUILD/tests/subjects
begin_agent || not_ok begins "$(cat agent.err)"

# off FILE: cpu.on against the kernel's account, in percent of it, but for what came after the last sample of two threads.
off() {
    "$MEMOIR" report "$1" --metric cpu.on --json |
        jq '(.total.value - .quality.time.cpu_ns | if . < 0 then -. else . end) - 2e9 / 199 | if . < 0 then 0 else . end' |
        awk -v all="$("$MEMOIR" report "$1" --json | jq .quality.time.cpu_ns)" '{ print 100 * $1 / all }'
}
for threads in 1 4; do
    "$MEMOIR" cpu --source agent --agent "$socket" --hz 199 --quiet -o "busy$threads.memoir" -- \
        "$subjects/subject-burns_shares" 2 $threads <<<go >out 2>err
    equal "busy-$threads-status" 0 $?
    at_least "busy-$threads-has-samples" 20 "$("$MEMOIR" report "busy$threads.memoir" --json | jq .quality.time.samples)"
    at_most "busy-$threads-percent-off" 2 "$(off "busy$threads.memoir")"
done
# Two processes in one recording.
for i in 1 2; do
    "$subjects/subject-works_for_seconds" 30 >/dev/null &
    started+=("$!")
    both[i]=$!
done
"$MEMOIR" cpu --source agent --agent "$socket" --hz 199 --for 2s --quiet -o both.memoir -p "${both[1]},${both[2]}" 2>err
equal both-status 0 $?
at_most both-percent-off 2 "$(off both.memoir)"
kill "${both[@]}"
end_agent

# Hooks of our library are [memoir] in the program's samples, and nothing else of it is there.
"$MEMOIR" run --heap full --cpu=499 --quiet -o hooks.memoir -- "$subjects/subject-works_for_seconds" 2 >out 2>err
equal hooks-status 0 $?
"$MEMOIR" export hooks.memoir --to folded --metric cpu.on >hooks.folded 2>/dev/null
at_least hooks-are-ours 1 "$(grep -c ';\[memoir\]' hooks.folded)"
equal hooks-are-one-frame 0 "$(grep -c '\[memoir\];\[memoir\]' hooks.folded)"
"$MEMOIR" report hooks.memoir --metric cpu.on --top 100000 --json >hooks.json
equal hooks-have-no-other-frame 0 "$(jq '[.rows[].stack[]? | select((.module // "") | test("libmemoir"))] | length' hooks.json)"

# The recorder in a recording of everything that runs is ours, too.
"$subjects/subject-works_for_seconds" 30 >/dev/null &
started+=("$!")
"$MEMOIR" cpu -a --hz 997 --off-cpu --for 2s --quiet -o machine.memoir 2>err
equal machine-status 0 $?
"$MEMOIR" export machine.memoir --to folded --metric cpu.on >machine.folded 2>/dev/null
at_least machine-has-us 1 "$(grep -c '^\[memoir\];memoir-record ' machine.folded)"
equal machine-we-are-nobody-else 0 "$(grep -c '^memoir' machine.folded)"
true
