#!/usr/bin/env bash
# A hundred thousand short threads: all their blocks, in bounded space, at a bearable pace.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

threads=100000
record churn.memoir -- "$subjects/subject-thread_churn" $threads
equal status 0 "$status"
equal output "$threads threads" "$(cat churn.memoir.out)"
equal allocated "$((threads * 128)) $((threads * 2))" "$(site churn.memoir heap.allocated in_thread)"
equal leaked "$((threads * 64)) $threads" "$(site churn.memoir heap.leaked in_thread)"
equal nothing-lost 0 "$(quality churn.memoir lost_events)"
at_least complete-stacks 0.999 "$(quality churn.memoir complete_stacks_share)"
at_most file-bytes 4000000 "$(stat -c %s churn.memoir)"

# Threads that ask libc about their stack before anything else, inside of which libc allocates.
record stacks.memoir -- "$subjects/subject-thread_stacks"
equal stacks-status 0 "$status"
equal stacks-output "300 threads" "$(cat stacks.memoir.out)"
equal stacks-allocated "30000 300" "$(site stacks.memoir heap.allocated in_thread)"
equal stacks-complete 1 "$(quality stacks.memoir complete_stacks_share)"
