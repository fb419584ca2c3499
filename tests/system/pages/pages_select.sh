#!/usr/bin/env bash
# memoir pages chooses: several at once, by name and by cgroup, and whoever comes later under that name.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_select
mib=1048576
begin_agent || not_ok agent-begins "$(cat agent.err)"
cp "$subjects/subject-touches_pages" ./noder

# recorded PID: waits until it has a recording that has been looked at.
recorded() {
    for _ in $(seq 100); do
        file=$(find . -name "noder.$1.memoir" | head -n 1)
        [ -n "$file" ] && [ "$(total "$file" pages.resident 2>/dev/null || echo 0)" -gt 0 ] && return 0
        sleep 0.1
    done
    return 1
}

# By name: the one that runs, and after its end the next.
begin_subject ./noder
first=$subject
"$MEMOIR" pages --agent "$socket" --every 200ms --name noder 2>name.err 7>&- &
recorder=$!
started+=("$recorder")
recorded "$first" || not_ok name-first "no recording: $(cat name.err)"
step huge
sleep 0.6
end_subject
equal name-first-huge $((20 * mib)) "$(inside "noder.$first.memoir" pages.anon huge_20_mib)"
begin_subject ./noder
second=$subject
recorded "$second" || not_ok name-restart "no recording: $(cat name.err)"
step share
sleep 0.6
equal name-restart-shared $((6 * mib)) "$(inside "noder.$second.memoir" pages.shmem share_6_mib)"
kill -INT "$recorder"
wait "$recorder"
equal name-status 0 $?
end_subject

# Several by number, at once.
begin_subject ./noder
sleep 100 7>&- &
other=$!
started+=("$other")
"$MEMOIR" pages --quiet --agent "$socket" --for 2s -o several.memoir "$subject" "$other" 2>several.err
equal several-status 0 $?
equal several-first "$(status_bytes "$subject" VmRSS)" "$(total several.memoir pages.resident)"
equal several-second "$(status_bytes "$other" VmRSS)" "$(total "sleep.$other.memoir" pages.resident)"
end_subject

# By cgroup.
group=
for folder in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/pids /sys/fs/cgroup/memory; do
    if [ -w "$folder/cgroup.procs" ] && mkdir "$folder/memoir-test-$$" 2>/dev/null; then
        group=$folder/memoir-test-$$
        break
    fi
done
if [ -z "$group" ]; then
    skip cgroup "no cgroup can be made here"
else
    begin_subject ./noder
    echo "$subject" >"$group/cgroup.procs"
    "$MEMOIR" pages --quiet --agent "$socket" --every 200ms --for 4s -o group.memoir --cgroup "$group" 2>group.err 7>&- &
    recorder=$!
    started+=("$recorder")
    for _ in $(seq 100); do
        [ -s group.memoir ] && break
        sleep 0.1
    done
    sleep 0.5
    step huge
    wait "$recorder"
    equal cgroup-status 0 $?
    equal cgroup-huge $((20 * mib)) "$(inside group.memoir pages.anon huge_20_mib)"
    end_subject
    rmdir "$group"
fi
"$MEMOIR" pages --agent "$socket" --cgroup no/such 2>none.err
one_sentence no-cgroup none.err 'no cgroup no/such'
"$MEMOIR" pages --agent "$socket" --name noder 4 2>none.err
equal both-status 2 $?

# The next that is started.
"$MEMOIR" pages --agent "$socket" --every 100ms --wait-exec noder -o next.memoir 2>next.err &
recorder=$!
started+=("$recorder")
for _ in $(seq 100); do
    grep -q waiting next.err && break
    sleep 0.05
done
sleep 0.3
begin_subject ./noder
for _ in $(seq 100); do
    [ -s next.memoir ] && break
    sleep 0.05
done
sleep 0.5
step huge
sleep 0.6
end_subject
wait "$recorder"
equal next-status 0 $?
equal next-huge $((20 * mib)) "$(inside next.memoir pages.anon huge_20_mib)"
end_agent
equal agent-ends 0 $?
