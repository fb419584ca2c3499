#!/usr/bin/env bash
# memoir map of a process with tens of thousands of mappings: the same answer as reading them all, in little memory.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

pairs=$((($(cat /proc/sys/vm/max_map_count) - 500) / 2))
[ "$pairs" -le 30000 ] || pairs=30000
begin() { # begin NAME [WORD]: the subject, stopped; its number in $subject
    mkfifo "$1.hold"
    "$subjects/subject-many_mappings" "$pairs" ${2:+"$2"} <"$1.hold" >"$1.said" &
    subject=$!
    exec 9>"$1.hold"
    wait_until 30 has_line "$1.said" ready
    kill -STOP "$subject"
}
finish() { # finish CASE
    kill -CONT "$subject"
    exec 9>&-
    wait "$subject"
    equal "$1" 0 $?
}
# What does not depend on others: PSS does.
parts() { jq -cS '[.leaves[] | [.section, .label, .item, .regions, .bytes.rss, .bytes.virtual, .bytes.private_dirty, .bytes.swap]]' "$1"; }

begin many
"$MEMOIR" map "$subject" --json -o short.json
"$MEMOIR" map "$subject" --json --all -o all.json
equal many-same-parts "$(parts all.json)" "$(parts short.json)"
equal many-mappings "$(grep -c '^[0-9a-f]*-' "/proc/$subject/maps")" "$(jq .total.regions short.json)"
equal many-sum "$(awk '/^VmRSS/ { print $2 * 1024 }' "/proc/$subject/status")" "$(jq .total.bytes.rss short.json)"
equal many-all-listed "$(grep -c '^Rss: *[1-9]' "/proc/$subject/smaps")" "$(jq '.regions | length' all.json)"
equal many-top "$(jq -c '[.regions[:20][] | [.start, .bytes.rss]]' all.json)" "$(jq -c '[.regions[] | [.start, .bytes.rss]]' short.json)"
"$MEMOIR" map "$subject" --json --top 3000 -o three.json
equal many-top-3000 "$(jq -c '[.regions[:3000][] | .start]' all.json)" "$(jq -c '[.regions[] | .start]' three.json)"
equal many-by-perm "$("$MEMOIR" map "$subject" --by perm --all --csv | wc -l | awk '{ print ($1 > 1000) }') $pairs" \
    "1 $("$MEMOIR" map "$subject" --by perm --json | jq '.leaves[] | select(.label == "---p") | .regions | if . >= '"$pairs"' then '"$pairs"' else . end')"

# In little memory: 1 MiB besides what an empty program has.
mkfifo answer
"$MEMOIR" map "$subject" -o answer 9>&- &
reader=$!
anon() { sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$reader/status"; }
sleeps() { grep -q '^State:.S' "/proc/$reader/status" && [ "$(cut -d ' ' -f 1 "/proc/$reader/syscall")" = 257 ]; }
wait_until 20 sleeps
at_most many-memory 1200 "$(anon)"
cat answer >/dev/null
wait "$reader"
finish many-unharmed

# A thread whose stack lies among them: nothing is folded then, and the stack is found.
begin stack thread
"$MEMOIR" map "$subject" --json -o stack.json
equal many-stack 1 "$(jq '[.leaves[] | select(.label == "Threads")] | length' stack.json)"
"$MEMOIR" map "$subject" --json --all -o all.json
equal many-stack-same "$(parts all.json)" "$(parts stack.json)"
finish many-stack-unharmed
