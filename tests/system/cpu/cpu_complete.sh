#!/usr/bin/env bash
# Stacks of samples and waits are seen to their outer end, however large they are; what is not is said for each source, and hangs under
# one frame that says so.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
subjects=$BUILD/tests/subjects
if [ "$(id -u)" != 0 ]; then
    skip cpu_complete "needs root: waits with stacks"
    exit 0
fi

# share FILE SOURCE: of its stacks that are complete; 0 when nobody says.
share() {
    "$MEMOIR" report "$1" --json | jq --arg name "$2" '[.quality.sources[]? | select(.name == $name) | .complete_share] | add // 0'
}
stacks() {
    "$MEMOIR" report "$1" --json | jq --arg name "$2" '[.quality.sources[]? | select(.name == $name) | .stacks] | add // 0'
}
# roots FILE METRIC: outermost frames that are neither the beginning of a thread nor say what they are.
roots() {
    "$MEMOIR" export "$1" --to folded --metric "$2" 2>/dev/null |
        awk -F';' '{ sub(/ [0-9]+$/, "", $1); print $1 }' | grep -v '^_start$\|^_dl_start_user$\|^\[' | sort -u | wc -l
}
under_cut() { # under_cut FILE METRIC: the share of it
    "$MEMOIR" export "$1" --to folded --metric "$2" 2>/dev/null |
        awk '{ all += $NF } index($0, "[stack cut here];") == 1 { cut += $NF } END { print all ? cut / all : 0 }'
}
# records NAME KIB OPTIONS…: once more where all processors were so busy that nothing was seen of it.
records() {
    for _ in 1 2 3; do
        "$MEMOIR" cpu --hz 199 --off-cpu --quiet --force "${@:3}" -o "$1.memoir" -- "$subjects/subject-works_on_large_stack" 2 "$2" 2>"$1.err"
        equal "$1-status" 0 $?
        "$MEMOIR" report "$1.memoir" --metric cpu.on >/dev/null 2>&1 && return
    done
}

# What perf events can copy, they do.
records small 24 --source perf
at_least small-cpu 0.8 "$(share small.memoir cpu)"
at_least small-waits 0.7 "$(share small.memoir waits)"
equal small-counts-samples "$("$MEMOIR" report small.memoir --json | jq .quality.time.samples)" "$(stacks small.memoir cpu)"
at_least small-counts-waits 20 "$(stacks small.memoir waits)"
at_least small-text 1 "$("$MEMOIR" report small.memoir | grep -c 'stacks complete: .* of cpu, .* of waits')"
at_least small-info 2 "$("$MEMOIR" info small.memoir | grep -c 'of the .* of \(cpu\|waits\) complete')"

# What they cannot is counted and marked, and nobody's outermost frame; and who can is named.
records large 300 --source perf
at_most large-cpu 0.3 "$(share large.memoir cpu)"
at_most large-waits 0.3 "$(share large.memoir waits)"
equal large-roots-of-samples 0 "$(roots large.memoir cpu.on)"
equal large-roots-of-waits 0 "$(roots large.memoir cpu.off)"
at_least large-samples-are-marked 0.5 "$(under_cut large.memoir cpu.on)"
at_least large-waits-are-marked 0.5 "$(under_cut large.memoir cpu.off)"
at_least large-flame-is-marked 1 "$("$MEMOIR" flame large.memoir --metric cpu.on -o - 2>/dev/null | grep -c 'stack cut here')"
equal large-says-who-can 1 "$("$MEMOIR" report large.memoir --json | jq '[.quality.notes[] | select(test("memoir agent"))] | length')"

# A heap that was traced in full does not speak for the samples beside it.
"$MEMOIR" run --cpu=199 --quiet -o both.memoir -- "$subjects/subject-works_on_large_stack" 1 300 2>both.err
at_most both-cpu 0.5 "$(share both.memoir cpu)"

. "$TOP/tests/system/agent.bash"
skip_without_agent cpu_complete
begin_agent || not_ok begins "$(cat agent.err)"
for kib in 300 1500; do
    records "agent$kib" $kib --source agent --agent "$socket"
    at_least "agent-$kib-cpu" 0.7 "$(share "agent$kib.memoir" cpu)"
    at_least "agent-$kib-waits" 0.7 "$(share "agent$kib.memoir" waits)"
    equal "agent-$kib-roots-of-samples" 0 "$(roots "agent$kib.memoir" cpu.on)"
    equal "agent-$kib-roots-of-waits" 0 "$(roots "agent$kib.memoir" cpu.off)"
done

# What a function keeps below its stack pointer is copied, too.
"$MEMOIR" cpu --hz 199 --quiet --source agent --agent "$socket" -o below.memoir -- "$subjects/subject-works_below_stack" 2 2>below.err
equal below-status 0 $?
at_least below-cpu 0.95 "$(share below.memoir cpu)"
at_least below-has-its-callers 1 "$("$MEMOIR" export below.memoir --to folded --metric cpu.on 2>/dev/null |
    grep -c '^_start;.*main;calls_spin_below;spin_below')"

# A thread that waits for its first turn has no stack of its own yet: nothing of it is cut.
"$MEMOIR" cpu --off-cpu --quiet --agent "$socket" -o young.memoir -- "$subjects/subject-thread_churn" >young.out 2>young.err
equal young-status 0 $?
"$MEMOIR" export young.memoir --to folded --metric cpu.off 2>/dev/null >young.folded
at_least young-threads-wait 1 "$(grep -c 'ret_from_fork_asm;\[waits: processor\]' young.folded)"
equal young-threads-are-not-cut 0 "$(grep 'ret_from_fork_asm;\[waits: processor\]' young.folded | grep -c 'stack cut here')"
end_agent
true
