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
