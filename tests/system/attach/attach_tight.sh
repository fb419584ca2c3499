#!/usr/bin/env bash
# A process whose cgroup is nearly full: what recording needs there would have it killed, so attach refuses.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

skip_all() {
    for name in tight-refused tight-sentence tight-lives above-refused above-sentence above-lives roomy-status crowd-lives crowd-note crowd-calls oom-of-its-cgroup; do skip "$name" "$1"; done
    exit 0
}

own=memoir-tight-$$
folder=/sys/fs/cgroup/$own limit=memory.max usage=memory.current
if [ -d /sys/fs/cgroup/memory ]; then
    folder=/sys/fs/cgroup/memory/$own limit=memory.limit_in_bytes usage=memory.usage_in_bytes
fi
mkdir "$folder" 2>/dev/null || skip_all "may not make a cgroup"
program=
leave() {
    leave_house
    [ -z "$program" ] || kill "$program" 2>/dev/null
    wait 2>/dev/null
    [ ! -d "$folder/inner" ] || wait_until 10 rmdir "$folder/inner"
    wait_until 10 rmdir "$folder"
}
trap leave EXIT
[ -e "$folder/$limit" ] || skip_all "the memory controller is not to be had here"

(echo 0 >"$folder/cgroup.procs" && exec python3 -c "
import time
kept = bytearray(20 << 20)
open('ready', 'w').close()
time.sleep(60)") &
program=$!
wait_until 20 test -e ready || not_ok begins "it did not begin"
echo $(($(cat "$folder/$usage") + (1 << 20))) >"$folder/$limit" || skip_all "may not limit memory"
refuses() { # refuses CASE
    "$MEMOIR" attach --for 1s -o "$1.memoir" $program 2>"$1.err"
    equal "$1-refused" 1 $?
    one_sentence "$1-sentence" "$1.err" "left of the .* that its cgroup /.*$own may use"
    if is_gone $program; then not_ok "$1-lives" "it was killed"; else ok "$1-lives"; fi
}
refuses tight

# A limit of what its cgroup lies in holds for it, too.
mkdir "$folder/inner" && echo $program >"$folder/inner/cgroup.procs"
[ -e "$folder/inner/$limit" ] || echo +memory >"$folder/cgroup.subtree_control"
refuses above
echo $((256 << 20)) >"$folder/$limit"
"$MEMOIR" attach --quiet --for 1s -o roomy.memoir $program 2>roomy.err
equal roomy-status 0 $?

# Threads that start later need memory for their events, too: no more of them have it than there is room for.
kill $program
wait $program 2>/dev/null
(echo 0 >"$folder/cgroup.procs" && exec env PYTHONMALLOC=malloc python3 -c "
import os, threading, time
open('waits', 'w').close()
while not os.path.exists('go'): time.sleep(0.05)
together = threading.Barrier(40)
def work():
    for i in range(60000): bytearray(700)
    together.wait()
crowd = [threading.Thread(target=work) for i in range(40)]
for thread in crowd: thread.start()
for thread in crowd: thread.join()
open('done', 'w').close()
time.sleep(60)") &
program=$!
wait_until 20 test -e waits || not_ok crowd-begins "it did not begin"
echo $(($(cat "$folder/$usage") + (24 << 20))) >"$folder/$limit"
"$MEMOIR" attach -o crowd.memoir $program 2>crowd.err &
recorder=$!
wait_until 20 has_line crowd.err 'attached to' || not_ok crowd-attached "$(cat crowd.err)"
: >go
crowd_ends() { [ -e "done" ] || is_gone "$program"; }
wait_until 120 crowd_ends
if is_gone $program; then not_ok crowd-lives "it was killed"; else ok crowd-lives; fi
kill -INT $recorder
wait $recorder
if has_line crowd.err 'threads at a time could be recorded'; then ok crowd-note; else not_ok crowd-note "$(cat crowd.err)"; fi
at_least crowd-calls 2400000 "$(summary crowd.memoir calls)"

# Whoever the OOM killer ended was not just killed, whichever cgroup the recorder is in.
kill $program
wait $program 2>/dev/null
rm -f waits go
(echo 0 >"$folder/cgroup.procs" && exec python3 -c "
import os, time
open('waits', 'w').close()
while not os.path.exists('go'): time.sleep(0.05)
kept = []
while True: kept.append(bytearray(1 << 20))") &
program=$!
wait_until 20 test -e waits || not_ok oom-begins "it did not begin"
echo $(($(cat "$folder/$usage") + (64 << 20))) >"$folder/$limit"
"$MEMOIR" attach -o oom.memoir $program 2>oom.err &
recorder=$!
wait_until 20 has_line oom.err 'attached to' || not_ok oom-attached "$(cat oom.err)"
: >go
wait $recorder
program=
if has_line oom.err 'killed by the OOM killer'; then ok oom-of-its-cgroup; else not_ok oom-of-its-cgroup "$(cat oom.err)"; fi
