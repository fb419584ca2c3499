#!/usr/bin/env bash
# memoir cpu has the first instants of a program that somebody else starts: when it waits for it, and when it follows its name.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent cpu_started
begin_agent || not_ok agent-begins "$(cat agent.err)"
cp "$subjects/subject-burns_first" ./burns
cp ./burns ./burns-with-a-long-name
cp ./burns ./burns-with-a-lot

value() { # value FILE METRIC FUNCTION: us of stacks with this function in them
    "$MEMOIR" export "$1" --to folded --metric "$2" 2>/dev/null |
        awk -v name="$3" 'index($0, name ";") || index($0, name " ") { sum += $NF } END { printf "%.0f\n", sum / 1000 }'
}
# 10 ms are ten samples: at least half of them.  Watched from some milliseconds on, it would have few or none; nor would a wait that
# began before be told.
whole() { # whole FILE
    [ "$(value "$1" cpu.on first_10_ms)" -ge 5000 ] && [ "$(value "$1" cpu.off first_sleep)" -ge 9000 ]
}

# sees_first CASE COMMAND…: whether one of some runs has the beginning; on a busy machine a program may be over before anybody reads what it maps.
sees_first() {
    local name=$1 file
    shift
    for _ in 1 2 3 4 5 6; do
        rm -f ./*.memoir
        "$@"
        file=$(find . -name '*.memoir' | head -n 1)
        [ -n "$file" ] && whole "$file" && break
    done
    at_least "$name-runs" 5000 "$(value "$file" cpu.on first_10_ms)"
    at_least "$name-waits" 9000 "$(value "$file" cpu.off first_sleep)"
}

# awaited PROGRAM OTHER: waits for PROGRAM, while OTHER is started too.
awaited() {
    "$MEMOIR" cpu --agent "$socket" --hz 997 --off-cpu --for 20s --wait-exec "$1" -o awaited.memoir 2>awaited.err &
    recorder=$!
    started+=("$recorder")
    wait_until 20 grep -q waiting awaited.err
    "./$2"
    "./$1"
    wait "$recorder"
    equal "awaited-$1-status" 0 $?
}
sees_first awaited awaited burns burns-with-a-lot
sees_first awaited-with-a-long-name awaited burns-with-a-long-name burns-with-a-lot
equal awaited-is-the-one-that-was-meant burns-with-a-long-name "$(basename "$("$MEMOIR" report awaited.memoir --json | jq -r .recording.program)")"
# Its time is what the kernel counted, 70 ms.
at_least awaited-account 65 "$("$MEMOIR" report awaited.memoir --json | jq '.quality.time.cpu_ns / 1000000 | floor')"

# Those that come later under a name, in one recording of all.
by_name() {
    "$MEMOIR" cpu --agent "$socket" --hz 997 --off-cpu --name burns -o name.memoir 2>name.err &
    recorder=$!
    started+=("$recorder")
    wait_until 10 test -s name.memoir
    ./burns
    ./burns
    sleep 0.5
    kill -INT "$recorder"
    wait "$recorder"
    equal by-name-status 0 $?
}
sees_first by-name by_name

waits_in_vain cpu
end_agent
equal agent-ends 0 $?
