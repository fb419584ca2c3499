#!/usr/bin/env bash
# memoir pages sees all pages of a program that is over after 20 ms: when it starts it, when it waits for it, and when it follows its name.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_started
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"
cp "$subjects/subject-lives_briefly" ./quick
cp ./quick ./quick-with-a-long-name
cp ./quick ./quick-with-a-lot

# On a machine that is busy nobody may get to read what a process maps before it is over: then it is told, and the next one is tried.
# sees_all CASE COMMAND…: whether one of some runs has all in early_8_mib.
sees_all() {
    local name=$1 found=0
    shift
    for _ in 1 2 3 4 5 6; do
        rm -f ./*.memoir
        "$@"
        found=$(inside "$(find . -name '*.memoir' | head -n 1)" pages.anon early_8_mib 2>/dev/null)
        [ "$found" = $((8 * mib)) ] && break
    done
    equal "$name" $((8 * mib)) "$found"
}

started_by_us() {
    "$MEMOIR" pages --quiet --agent "$socket" -o ours.memoir -- ./quick
}
sees_all started-by-us started_by_us
equal no-look-found-it 1 "$("$MEMOIR" report ours.memoir | grep -c 'ended before the next snapshot of its pages')"

# awaited PROGRAM OTHER: waits for PROGRAM, while OTHER is started too.
awaited() {
    "$MEMOIR" pages --agent "$socket" --for 20s --wait-exec "$1" -o awaited.memoir 2>awaited.err &
    recorder=$!
    started+=("$recorder")
    wait_until 20 grep -q waiting awaited.err
    [ -z "$2" ] || "./$2"
    for _ in 1 2 3 4 5; do # the next one, if the first was missed
        "./$1"
        wait_until 2 test -s awaited.memoir && break
    done
    wait "$recorder"
    equal "awaited-$1-status" 0 $?
}
sees_all awaited awaited quick quick-with-a-lot
sees_all awaited-with-a-long-name awaited quick-with-a-long-name quick-with-a-lot
equal awaited-is-the-one-that-was-meant quick-with-a-long-name "$(basename "$("$MEMOIR" report awaited.memoir --json | jq -r .recording.program)")"

# Those that come later under a name.
by_name() {
    "$MEMOIR" pages --agent "$socket" --name quick 2>name.err &
    recorder=$!
    started+=("$recorder")
    sleep 1
    ./quick
    ./quick
    wait_until 5 ls ./quick.*.memoir
    kill -INT "$recorder"
    wait "$recorder"
    equal by-name-status 0 $?
}
sees_all by-name by_name

waits_in_vain pages
end_agent
equal agent-ends 0 $?
