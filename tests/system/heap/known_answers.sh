#!/usr/bin/env bash
# Small programs whose every number is known.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

record leaks.memoir -- "$subjects/subject-leaks_100_blocks"
equal leaks-status 0 "$status"
equal leaks-calls 600 "$(summary leaks.memoir calls)"
equal leaks-bytes 138500 "$(summary leaks.memoir allocated_bytes)"
equal leaks-freed 500 "$(summary leaks.memoir freed_calls)"
equal leaks-leaked-bytes 100000 "$(summary leaks.memoir leaked_bytes)"
equal leaks-leaked-calls 100 "$(summary leaks.memoir leaked_calls)"
equal leaks-where "100000 100" "$(site leaks.memoir heap.leaked leak_here main)"
equal leaks-nowhere-else "0 0" "$(site leaks.memoir heap.leaked free_here)"

# Pairs that die young may be cancelled on the way to the recorder; the peak may not.
record peak.memoir -- "$subjects/subject-peak_is_temporary"
equal peak-bytes $((110 << 20)) "$(summary peak.memoir peak_bytes)"
equal peak-temporary-block "$((100 << 20)) 1" "$(site peak.memoir heap.peak peak_here main)"
equal peak-held-blocks "$((10 << 20)) 10" "$(site peak.memoir heap.peak hold_here main)"
equal peak-nothing-else "0 0" "$(site peak.memoir heap.peak small_pair_here)"
equal peak-calls 200011 "$(summary peak.memoir calls)"
equal peak-temporary-calls 200001 "$(summary peak.memoir temporary_calls)"
equal peak-leaked 0 "$(summary peak.memoir leaked_bytes)"

record temporary.memoir -- "$subjects/subject-temporary_blocks"
equal temporary-always "1001 1001" "$(site temporary.memoir heap.temporary temporary_here)"
equal temporary-second-only "500 500" "$(site temporary.memoir heap.temporary twice_here)"
equal temporary-not-kept "0 0" "$(site temporary.memoir heap.temporary kept_here)"
equal temporary-not-freed-elsewhere "0 0" "$(site temporary.memoir heap.temporary given_away_here)"

# SITE, allocated bytes and calls, freed bytes and calls.
record realloc.memoir -- "$subjects/subject-realloc_rules"
equal realloc-status 0 "$status"
while read -r name bytes calls freed frees; do
    equal "realloc-$name" "$bytes $calls $freed $frees" \
        "$(site realloc.memoir heap.allocated "$name") $(site realloc.memoir heap.freed "$name")"
done <<'END'
start_here 100 1 100 1
grow_here 100000 1 100000 1
shrink_here 10 1 10 1
too_much_here 0 0 0 0
array_here 200 1 200 1
array_overflow_here 0 0 0 0
too_much_malloc_here 0 0 0 0
overflow_here 0 0 0 0
to_zero_here 0 0 0 0
from_null_here 50 1 50 1
nothing_here 0 1 0 0
calloc_here 21 1 21 1
aligned_here 128 1 0 0
memalign_here 300 1 300 1
valloc_here 11 1 0 0
pvalloc_here 13 1 13 1
posix_here 17 1 0 0
END
equal realloc-total 12 "$(summary realloc.memoir calls)"
equal realloc-peak 100000 "$(summary realloc.memoir peak_bytes)"

echo "a line to read" >line
record library.memoir -- "$subjects/subject-library_callers" line
equal library-status 0 "$status"
equal library-strdup "13 1" "$(site library.memoir heap.allocated copy_text main)"
set -- compile_pattern 20 open_and_read 3 print_text 1
while [ $# -gt 0 ]; do
    at_least "library-$1" "$2" "$(site library.memoir heap.calls "$1" main | cut -d ' ' -f 1)"
    shift 2
done
equal library-only-strdup-left 13 "$(summary library.memoir leaked_bytes)"
