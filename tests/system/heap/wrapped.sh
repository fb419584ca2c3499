#!/usr/bin/env bash
# Libraries and programs whose malloc is called first, and passes every call on to the next.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

wraps=$subjects/libsubject-wraps_malloc.so

judge() { # judge CASE: once, and in the program's functions
    equal "$1-status" 0 "$status"
    equal "$1-where" "100000 100" "$(site "$1.memoir" heap.leaked leak_here main)"
    equal "$1-calls" "38500 500" "$(site "$1.memoir" heap.freed free_here main)"
    equal "$1-lost" 0 "$(quality "$1.memoir" lost_events)"
}

# A library before ours, as a script puts it before what is there.  The shell has a recording, and what it becomes another.
before() { # before CASE LIBRARY PROGRAM
    record "$1-shell.memoir" --children --quiet -- sh -c "LD_PRELOAD=$2:\$LD_PRELOAD exec $3"
    mv subject-*.memoir "$1.memoir"
}
before before "$wraps" "$subjects/subject-leaks_100_blocks"
judge before
before rules "$wraps" "$subjects/subject-realloc_rules"
equal rules-array "200 1 200 1" \
    "$(site rules.memoir heap.allocated array_here) $(site rules.memoir heap.freed array_here)"
equal rules-grow "100000 1 100000 1" \
    "$(site rules.memoir heap.allocated grow_here) $(site rules.memoir heap.freed grow_here)"
equal rules-aligned "128 1" "$(site rules.memoir heap.allocated aligned_here)"

# Its execve as well.
before executes "$wraps" "sh -c 'exec $subjects/subject-leaks_100_blocks'"
judge executes

LD_PRELOAD=$wraps record behind.memoir -- "$subjects/subject-leaks_100_blocks"
judge behind

record itself.memoir -- "$subjects/subject-leaks_through_its_own"
judge itself

# glibc's own puts 16 bytes before each block, and prints what it counted.
memusage=$(find /lib/ /lib64/ -name libmemusage.so 2>/dev/null | head -n 1)
if [ -n "$memusage" ]; then
    before memusage "$memusage" "$subjects/subject-leaks_100_blocks"
    equal memusage-status 0 "$status"
    equal memusage-where "100000 100" "$(site memusage.memoir heap.leaked leak_here main)"
    LD_PRELOAD=$memusage record memusage-behind.memoir -- "$subjects/subject-leaks_100_blocks"
    equal memusage-behind-where "100000 100" "$(site memusage-behind.memoir heap.leaked leak_here main)"
    equal memusage-behind-slack 0 "$(summary memusage-behind.memoir slack_bytes)"
else
    skip memusage "no libmemusage.so"
fi

# Nothing is preloaded into a namespace of its own, whose blocks nobody sees: that is said.
record apart.memoir -- "$subjects/subject-loads_apart"
equal apart-status 0 "$status"
equal apart-where "30000 100" "$(site apart.memoir heap.leaked allocate_here main)"
equal apart-said "runtime other_libc" "$(quality apart.memoir 'doubts[] | "\(.kind) \(.has)"')"
equal apart-nothing-else "[]" "$(quality itself.memoir 'doubts | tostring')"

# heaptrack calls its own functions by names that we have, too.
heaptrack=/usr/lib/heaptrack/libheaptrack_preload.so
if [ -e "$heaptrack" ]; then
    export DUMP_HEAPTRACK_OUTPUT=$PWD/heaptrack.raw
    before heaptrack "$heaptrack" "$subjects/subject-leaks_100_blocks"
    judge heaptrack
    rm -f heaptrack.raw
    record heaptrack-behind.memoir -- env LD_PRELOAD="$heaptrack" "$subjects/subject-leaks_100_blocks"
    equal heaptrack-behind-status 0 "$status"
    equal heaptrack-behind-where "100000 100" "$(site heaptrack-behind.memoir heap.leaked leak_here main)"
    equal heaptrack-behind-works 100 "$(grep -c '^+ 3e8 ' heaptrack.raw)"
    unset DUMP_HEAPTRACK_OUTPUT
else
    skip heaptrack "not installed"
fi
