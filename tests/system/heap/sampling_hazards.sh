#!/usr/bin/env bash
# Samples where they are hard: threads that live for two blocks, children, a process that is attached to.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"
. "$TOP/tests/system/attach.bash"

# An estimate of n blocks of s bytes, in standard deviations: see sampling.sh.  Beyond 6 once in 500 million.
estimated() { # estimated CASE N S RATE BYTES
    local off
    off=$(awk -v n="$2" -v s="$3" -v rate="$4" -v sum="$5" 'BEGIN {
        p = 1 - exp(-(s + 1) / rate)
        off = (sum - n * s) / sqrt(n * s * s * (1 - p) / p)
        printf "%.2f", off < 0 ? -off : off }')
    at_most "$1" 6 "$off"
}

threads=40000
record churn.memoir --heap sample=4K -- "$subjects/subject-thread_churn" $threads
equal churn-output "$threads threads" "$(cat churn.memoir.out)"
read -r bytes calls < <(site churn.memoir heap.allocated in_thread)
: "$calls"
estimated churn-allocated $((2 * threads)) 64 4096 "$bytes"
read -r bytes calls < <(site churn.memoir heap.leaked in_thread)
estimated churn-live $threads 64 4096 "$bytes"
equal churn-lost 0 "$(quality churn.memoir lost_events)"

mkdir tree
record tree/all.memoir --children --heap sample=64 -- "$subjects/subject-fork_tree"
equal children-output "0 failures" "$(cat tree/all.memoir.out)"
equal children-recordings 7 "$(find tree -name '*.memoir' | wc -l)"
equal children-sampled 64 "$(for file in tree/*.memoir; do quality "$file" sample_rate_bytes; done | sort -u)"
# With 64 bytes to a sample a block of 1000 is taken all but certainly, and stands for itself: ten in each process, and
# those that it has from its parents.
equal children-blocks "170000 170" "$(for file in tree/*.memoir; do site "$file" heap.allocated in_process grow_tree; done |
    awk '{ value += $1; count += $2 } END { print value + 0, count + 0 }')"

# In and out of every mode, of a process that ran before.
begin_obedient obeys
attach obeys.memoir --heap sample=64 "$target"
tell obeys "a 100 1000"
set_heap() { # set_heap MODE
    "$MEMOIR" set "$target" --heap "$1" 2>set.err || not_ok "set-$1" "$(cat set.err)"
}
set_heap full
tell obeys "a 10 48"
set_heap off
tell obeys "a 10 56"
set_heap full
tell obeys "a 10 48"
end_attach
equal attached-status 0 "$status"
equal attached-blocks "100960 120" "$(site obeys.memoir heap.allocated allocate_blocks)"
lives attached-lives "$target"
exec 9>&-
