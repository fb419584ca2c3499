#!/usr/bin/env bash
# Children are not the parent; with --children each process has a recording of its own.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record tree.memoir -- "$subjects/subject-fork_tree"
equal fork-status 0 "$status"
equal fork-output "0 failures" "$(cat tree.memoir.out)"
equal fork-own-blocks "10000 10" "$(site tree.memoir heap.allocated in_process main)"
equal fork-blocks-before "2500 5" "$(site tree.memoir heap.leaked before_fork main)"
equal fork-nothing-else 15 "$(summary tree.memoir calls)"
equal fork-one-recording 1 "$(find . -name '*.memoir' | wc -l)"

record vfork.memoir -- "$subjects/subject-vfork_exec"
equal vfork-output "0 failures" "$(cat vfork.memoir.out)"
equal vfork-own-blocks "5000 50" "$(site vfork.memoir heap.allocated around_children main)"
at_least vfork-complete 0.999 "$(quality vfork.memoir complete_stacks_share)"

record exec.memoir -- "$subjects/subject-exec_chain" 3
equal exec-status 5 "$status"
equal exec-last-image "1000 1" "$(site exec.memoir heap.allocated in_link main)"

# Sums over all recordings of a folder.
sum_of() { # sum_of FOLDER METRIC FUNCTION
    local file
    for file in "$1"/*.memoir; do site "$file" "$2" "$3"; done |
        awk '{ value += $1; count += $2 } END { print value + 0, count + 0 }'
}

mkdir tree
record tree/all.memoir --children -- "$subjects/subject-fork_tree"
equal children-status 0 "$status"
equal children-one-recording-each 7 "$(find tree -name '*.memoir' | wc -l)"
equal children-all-blocks "70000 70" "$(sum_of tree heap.allocated in_process)"
pids=$(for file in tree/*.memoir; do fact "$file" .recording.pid; done | sort -u)
equal children-pids 7 "$(wc -l <<<"$pids")"
# Linked: the parent of each but the first is among them.
orphans=0
for file in tree/*.memoir; do
    parent=$(fact "$file" .recording.parent_pid)
    grep -qx "$parent" <<<"$pids" || orphans=$((orphans + 1))
done
equal children-linked 1 "$orphans"

mkdir chain
record chain/all.memoir --children -- "$subjects/subject-exec_chain" 3
equal chain-status 5 "$status"
equal chain-all-images "6000 6" "$(sum_of chain heap.allocated in_link)"
