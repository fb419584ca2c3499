#!/usr/bin/env bash
# What a program tells of its own allocators through memoir.h, and through heaptrack's names for it.
# Runs beside others.
# shellcheck source=/dev/null disable=SC2154
. "$TOP/tests/system/common.bash"

# ---- blocks, pools, regions: every number is in the head of pools.c ----
record pools.memoir -- "$subjects/subject-pools"
equal pools-status 0 "$status"
equal pools-memoir-is-there "memoir is there" "$(cat pools.memoir.out)"
equal pools-memoir-is-not-there "memoir is not there" "$("$subjects/subject-pools")"
equal pools-heap-is-apart "$((1 << 20)) 1" "$(jq -r '.rows[] | select(.stack[0].function == "main")
    | "\(.value) \(.count)"' "$(json_of pools.memoir heap.allocated)")"
equal pools-heap-peak "$(summary pools.memoir allocated_bytes)" "$(summary pools.memoir peak_bytes)"
equal pools-calls 1087 "$(fact pools.memoir .summary.pools.calls)"
equal pools-bytes $((1000 * 64 + 7 * 1000 + 50 * 128 + 10 * 96 + 15 * 10 + 4 * 4096 + 8192)) \
    "$(fact pools.memoir .summary.pools.allocated_bytes)"
while read -r name bytes calls freed frees function; do
    equal "pools-$name" "$bytes $calls $freed $frees" \
        "$(site pools.memoir pool.allocated "$function") $(site pools.memoir pool.freed "$function")"
done <<'END'
reset 64000 1000 64000 1000 fill_stream_here
stay 7000 7 0 0 stay_here
slab 7360 60 3840 30 slab_here
brief 150 15 150 15 brief_here
no-pool 24576 5 8192 2 own_allocator_here
END
equal pools-by-name "7000 7" "$(site pools.memoir pool.live stay_here main 'pool: stream')"
equal pools-name-given-late "3520 30" "$(site pools.memoir pool.live slab_here main 'pool: slab')"
equal pools-peak "26904 41" \
    "$(jq -r '"\(.total.value) \(.total.count)"' "$(json_of pools.memoir pool.peak)")"
equal pools-regions "32768 1" "$(site pools.memoir region.live own_allocator_here main 'region: table')"
equal pools-regions-gone "0 0" "$(site pools.memoir region.live 'region: index')"
equal pools-nothing-lost 0 "$(quality pools.memoir lost_events)"
equal pools-no-unknown-frees 0 "$(quality pools.memoir unknown_frees)"
equal pools-no-implied-frees 0 "$(quality pools.memoir implied_frees)"

# Several threads in one pool, freeing each other's blocks.
for round in 1 2 3; do
    record shared.memoir -- "$subjects/subject-pools" shared
    equal "pools-shared-$round" "128000 4000 64000 2000" \
        "$(site shared.memoir pool.allocated share_here) $(site shared.memoir pool.freed share_here)"
    equal "pools-shared-$round-quality" "0 0 0" \
        "$(quality shared.memoir lost_events) $(quality shared.memoir unknown_frees) $(quality shared.memoir implied_frees)"
done

# ---- programs made for heaptrack ----
names=$subjects/subject-reports_to_heaptrack
"$names" names
equal heaptrack-nobody-there 3 $?
record names.memoir -- "$names" names
equal heaptrack-names "0 9800 101 1968 41" \
    "$status $(site names.memoir pool.allocated allocate_here) $(site names.memoir pool.freed allocate_here)"
# The whole heap of this program: what is reported is about it.
equal heaptrack-default-metric pool.peak "$("$MEMOIR" report names.memoir --json | jq -r .metric)"

# By the name of the library, which must not be a second tracer.
LD_LIBRARY_PATH=$BUILD record library.memoir -- "$names" library
equal heaptrack-library "0 9800 101 1968 41" \
    "$status $(site library.memoir pool.allocated allocate_here) $(site library.memoir pool.freed allocate_here)"
LD_LIBRARY_PATH=$BUILD "$names" library
equal heaptrack-library-without-memoir 0 $?
equal heaptrack-soname libheaptrack_preload.so \
    "$(objdump -p "$BUILD/libheaptrack_preload.so" | awk '/SONAME/ { print $2 }')"
equal heaptrack-no-tracer "" \
    "$(nm -D --defined-only "$BUILD/libheaptrack_preload.so" | awk '{ print $3 }' | grep -v '^heaptrack_')"
