#!/usr/bin/env bash
# memoir pages of a program in a container: its own mounts, pids, root and host name; the agent in another one.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent pages_container
if ! unshare --mount --pid --uts --fork true 2>/dev/null; then
    skip pages_container "no namespaces can be made here"
    exit 0
fi
mib=1048576

# An agent that has other numbers for processes, and the machine's /proc at another place.
mkdir hostproc
unshare --mount --pid --fork sh -c "mount --bind /proc $PWD/hostproc && mount -t proc proc /proc && exec $BUILD/memoir-agent agent --socket $socket" 2>wrong.err
one_sentence agent-in-a-namespace wrong.err 'with --proc DIR'
unshare --mount --pid --fork --kill-child sh -c "mount --bind /proc $PWD/hostproc && mount -t proc proc /proc && exec $BUILD/memoir-agent agent --proc $PWD/hostproc --socket $socket" 2>agent.err &
agent=$!
started+=("$agent")
for _ in $(seq 100); do
    grep -q ready agent.err && break
    sleep 0.05
done
equal agent-with-proc 1 "$(grep -c ready agent.err)"

# A root folder with the subject and its libraries and nothing else; the subject's name means something else out here.
root=$PWD/root
mkdir -p "$root/proc" "$root/tmp"
for file in $(ldd "$subjects/subject-touches_pages" | grep -o '/[^ ]*'); do
    mkdir -p "$root/$(dirname "$file")"
    cp "$file" "$root/$file"
done
cp "$subjects/subject-touches_pages" "$root/node"
begin_subject unshare --mount --pid --uts --fork sh -c "hostname pages-$$ && exec chroot $root /node"
step anon
port=$((20000 + RANDOM % 20000))
"$MEMOIR" pages --agent "$socket" --every 200ms --container "pages-$$" --name node -o node.memoir --listen "127.0.0.1:$port" 2>pages.err &
recorder=$!
started+=("$recorder")
for _ in $(seq 100); do
    [ -s node.memoir ] && break
    sleep 0.1
done
sleep 1
rm -f "$root/node" # names come from what runs, not from what lies there now
step huge
step move
sleep 2
curl -s --max-time 10 "http://127.0.0.1:$port/v1/tree?threshold=0" >tree.json
pid=$(curl -s --max-time 10 "http://127.0.0.1:$port/v1/pid")
equal pid-is-ours "$(descendants "$subject" | tail -n 1)" "$pid"
kib_of() { # kib_of FUNCTION: the largest node of it, anywhere in the tree
    jq --arg f "$1" '[.. | objects | select((.name | type) == "object" and .name.functionName == $f) | .value] | max // 0' tree.json
}
at_least tree-huge $((20 * 1024)) "$(kib_of huge_20_mib)"
at_least tree-move $((28 * 1024)) "$(kib_of grow_4_to_32_mib)"
equal tree-names-the-node nodeCpp "$(jq -r 'first(.. | objects | select((.name | type) == "object" and .name.functionName == "huge_20_mib") | .name.functionCategory)' tree.json)"
kill -INT "$recorder"
wait "$recorder"
equal recorder-status 0 $?
equal huge $((20 * mib)) "$(inside node.memoir pages.anon huge_20_mib)"
equal move $((32 * mib)) "$(inside node.memoir pages.anon grow_4_to_32_mib)"
at_least before $((64 * mib)) "$(inside node.memoir pages.anon '[resident before attach]')"
at_least complete 0.99 "$("$MEMOIR" report node.memoir --json | jq .quality.complete_stacks_share)"
end_subject
equal unharmed 0 $?

# As deploy/compose.yaml has it: the agent with two capabilities and numbers of its own; the recorder in the PID namespace of the
# node, as the node's user, without any.
kill -9 "$agent" # unshare, which takes the agent along
wait "$agent" 2>/dev/null
open_house touches_pages
socket=$house/agent.sock
few=(setpriv --inh-caps "-all,+bpf,+perfmon" --ambient-caps "-all,+bpf,+perfmon" --bounding-set "-all,+bpf,+perfmon" --no-new-privs)
unshare --mount --pid --fork --kill-child sh -c "mount --bind /proc $PWD/hostproc && mount -t proc proc /proc && exec ${few[*]} $BUILD/memoir-agent agent --proc $PWD/hostproc --group root --socket $socket" 2>few.err &
agent=$!
started+=("$agent")
wait_until 60 grep -q ready few.err
equal agent-with-two-capabilities 1 "$(grep -c ready few.err)"
chgrp 65534 "$socket"
begin_subject unshare --mount --pid --fork --mount-proc "${nobody[@]}" "$house/subject-touches_pages"
step anon
inner=$(pgrep -P "$subject" | head -n 1)
(cd "$house/own" && exec nsenter --target "$inner" --pid --mount --root "${nobody[@]}" "$house/memoir" pages --agent "$socket" --every 200ms -o "$house/own/inner.memoir" 1) 2>inner.err 7>&- &
recorder=$!
started+=("$recorder")
wait_until 30 test -s "$house/own/inner.memoir"
step huge
huge_is_there() {
    [ "$(inside "$house/own/inner.memoir" pages.anon huge_20_mib)" = $((20 * mib)) ]
}
wait_until 20 huge_is_there
kill -INT "$(descendants "$recorder" | tail -n 1)"
wait "$recorder"
equal inner-status 0 $?
end_subject
equal inner-huge $((20 * mib)) "$(inside "$house/own/inner.memoir" pages.anon huge_20_mib)"
kill -9 "$agent" # unshare, which takes the agent along
wait "$agent" 2>/dev/null
ok ends
