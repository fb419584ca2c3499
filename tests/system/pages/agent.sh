#!/usr/bin/env bash
# memoir agent: who may ask what, and who is in nobody's way.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/agent.bash"
skip_without_agent agent
mib=1048576
open_house agent_listens
socket=$house/agent.sock

# Beginning: what is in the way is said.
as_nobody "$house/memoir" agent --socket "$PWD/x.sock" 2>err
equal not-root-status 1 $?
one_sentence not-root err 'cap_bpf.*cap_perfmon.*as root'
"$MEMOIR" agent --socket "$socket" --proc /nowhere 2>err
one_sentence no-proc err '/nowhere.*--proc'
"$MEMOIR" agent --socket "$socket" --group no-such-group 2>err
one_sentence no-group err 'addgroup'
"$MEMOIR" agent surplus 2>err
equal surplus-status 2 $?
begin_agent --group nogroup || not_ok begins "$(cat agent.err)"
equal socket-mode 660 "$(stat -c %a "$socket")"
equal socket-group nogroup "$(stat -c %G "$socket")"
"$MEMOIR" agent --socket "$socket" 2>err
equal second-status 1 $?
one_sentence second err 'one agent is enough'

# Only what a user may see.
sleep 300 &
roots=$!
started+=("$roots")
"${nobody[@]}" sleep 300 &
theirs=$!
started+=("$theirs")
as_nobody "$house/memoir" pages --agent "$socket" "$roots" 2>err
equal others-process-status 1 $?
one_sentence others-process err 'another user'
as_nobody "$house/memoir" pages --agent "$socket" --for 1s -o own.memoir "$theirs" 2>err
equal own-process-status 0 $?
at_least own-process 4096 "$(total "$house/own/own.memoir" pages.resident)"
# What becomes somebody else's program by exec is not to be seen any more.
cp "$subjects/subject-touches_pages" "$house/own/roots-node"
chmod 4755 "$house/own/roots-node"
cp "$subjects/subject-touches_pages" "$house/own/own-node"
for whose in own roots; do
    # shellcheck disable=SC2016
    "${nobody[@]}" sh -c 'sleep 1.5; echo anon | exec "$1"' sh "$house/own/$whose-node" >/dev/null &
    becomes=$!
    started+=("$becomes")
    wait_until 20 grep -qx sh "/proc/$becomes/comm" # setpriv is still root's at first
    seen=$(as_nobody "$house/subject-agent_listens" "$socket" "$becomes" 4)
    wait "$becomes"
    case $whose in
        own) at_least exec-of-own-is-seen 8192 "$seen" ;;
        roots) at_most exec-of-others-is-not-seen 2000 "$seen" ;;
    esac
done
# Who waits for a name is told of programs of his own alone.
cp "$(command -v sleep)" "$house/own/awaited-node"
chmod 755 "$house/own/awaited-node"
as_nobody "$house/memoir" pages --agent "$socket" --wait-exec awaited-node -o awaited.memoir 2>awaited.err &
waiter=$!
started+=("$waiter")
wait_until 20 grep -q waiting awaited.err
"$house/own/awaited-node" 2
equal others-are-not-awaited '' "$(find "$house/own" -name awaited.memoir)"
"${nobody[@]}" "$house/own/awaited-node" 3 &
theirs_too=$!
wait "$theirs_too" "$waiter"
equal own-is-awaited-status 0 $?
equal own-is-awaited "$theirs_too" "$("$MEMOIR" report "$house/own/awaited.memoir" --json | jq .recording.pid)"
at_least own-is-awaited-pages 4096 "$(total "$house/own/awaited.memoir" pages.resident)"
chmod 660 "$socket"
chgrp root "$socket"
as_nobody "$house/memoir" pages --agent "$socket" "$theirs" 2>err
equal not-in-the-group-status 1 $?
one_sentence not-in-the-group err 'may not use the agent'
chgrp nogroup "$socket"
"$MEMOIR" pages --agent "$socket" --for 3s -o first.memoir "$roots" 2>/dev/null &
first=$!
started+=("$first")
sleep 1
"$MEMOIR" pages --agent "$socket" -o again.memoir "$roots" 2>err
equal twice-status 1 $?
one_sentence twice err 'recorded by another recorder'
wait "$first"

# More than fifty peers, half of them bad at any time, and one recorder that must not notice.
"$subjects/subject-agent_strangers" "$socket" 5 6 >strangers.out &
strangers=$!
started+=("$strangers")
listeners=()
for i in {1..24}; do
    sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; done' &
    started+=($!)
    "$subjects/subject-agent_listens" "$socket" $! 5 >"heard.$i" 2>&1 &
    listeners+=($!)
    started+=($!)
done
begin_subject "$MEMOIR" pages --agent "$socket" --every 200ms -o t.memoir -- "$subjects/subject-touches_pages"
step anon
step move
step huge
huge_is_seen() {
    [ "$(inside t.memoir pages.anon huge_20_mib)" = $((20 * mib)) ]
}
wait_until 15 huge_is_seen
end_subject
equal among-strangers-status 0 $?
equal among-strangers-anon $((64 * mib)) "$(inside t.memoir pages.anon touch_64_mib)"
equal among-strangers-move $((32 * mib)) "$(inside t.memoir pages.anon grow_4_to_32_mib)"
equal among-strangers-huge $((20 * mib)) "$(inside t.memoir pages.anon huge_20_mib)"
for listener in "${listeners[@]}"; do wait "$listener"; done
equal among-strangers-all-are-served 24 "$(cat heard.* | awk '$1 + 0 > 0' | wc -l)"
equal among-strangers-lost 0 "$("$MEMOIR" report t.memoir --json | jq .quality.lost_events)"
wait "$strangers"
equal strangers-end 0 $?
at_most memory-after-strangers $((16 * mib)) "$(status_bytes "$agent" VmRSS)"
few_descriptors() {
    [ "$(find "/proc/$agent/fd" | wc -l)" -le 64 ]
}
wait_until 20 few_descriptors # it hears of their end a moment later
at_most descriptors-after-strangers 64 "$(find "/proc/$agent/fd" | wc -l)"

# The agent dies and comes back: the program goes on, and so does its recording, with the gap in it.
begin_subject "$MEMOIR" pages --agent "$socket" --every 200ms -o gap.memoir -- "$subjects/subject-touches_pages"
step anon
sleep 0.5
kill -9 "$agent"
wait "$agent" 2>/dev/null
sleep 0.3
step populate
equal socket-is-left yes "$([ -e "$socket" ] && echo yes)"
begin_agent || not_ok begins-again "$(cat agent.err)"
sleep 1.5
step huge
sleep 1
end_subject
equal gap-status 0 $?
equal gap-before $((64 * mib)) "$(inside gap.memoir pages.anon touch_64_mib)"
equal gap-after $((20 * mib)) "$(inside gap.memoir pages.anon huge_20_mib)"
equal gap-meanwhile $((8 * mib)) "$(inside gap.memoir pages.anon '[touched while events were lost]')"
"$MEMOIR" report gap.memoir >gap.txt
equal gap-is-told 1 "$(grep -c 'agent was gone' gap.txt)"

# Three targets: what the agent and its maps take.
for i in 1 2 3; do
    "$MEMOIR" pages --quiet --agent "$socket" --for 3s -o "three$i.memoir" -- "$subjects/subject-works_for_seconds" 2 >/dev/null 2>&1 &
    started+=("$!")
    three[i]=$!
done
sleep 1.5
maps=0
for fd in "/proc/$agent/fdinfo/"*; do
    bytes=$(awk '/^memlock:/ { print $2 }' "$fd" 2>/dev/null)
    maps=$((maps + ${bytes:-0}))
done
at_most three-targets-memory $((64 * mib)) $((maps + $(status_bytes "$agent" VmRSS)))
echo "# maps of the agent: $maps bytes"
wait "${three[@]}"
end_agent
equal ends 0 $?
