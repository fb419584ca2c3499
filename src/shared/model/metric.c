/* SPDX-License-Identifier: Apache-2.0 */
#include "model/metric.h"

#include <stddef.h>
#include <string.h>

#include "model/memory/owner.h"
#include "model/memory/page_kind.h"

#define US  UINT64_C(1000)
#define MS  (1000 * US)
#define SEC (1000 * MS)
#define MIN (60 * SEC)
#define HR  (60 * MIN)
#define DAY (24 * HR)

const uint64_t lifetime_bounds_ns[LIFETIME_CLASSES] = {
    US,  10 * US,  100 * US, MS,     10 * MS, 100 * MS, SEC,      10 * SEC,
    MIN, 10 * MIN, HR,       6 * HR, DAY,     7 * DAY,  30 * DAY, UINT64_MAX,
};

/* No octave has more than one bound in it. */
const uint8_t lifetime_class_of_octave[65] = {
    0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  1,  1,  1,  1,  2,  2,  2,  3,  3,  3,  4,
    4,  4,  4,  5,  5,  5,  6,  6,  6,  7,  7,  7,  7,  8,  8,  9,  9,  9,  9,  10, 10, 11,
    11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
};

#define RESIDENT(kind) COL_RESIDENT_0 + 2 * (kind), COL_RESIDENT_0 + 2 * (kind) + 1
#define TOUCHED(place) COL_TOUCHED_0 + 2 * (place), COL_TOUCHED_0 + 2 * (place) + 1
#define PAGES(kind)    COL_PAGES_0 + 2 * (kind), COL_PAGES_0 + 2 * (kind) + 1
_Static_assert(COL_RESIDENT_0 + 2 * OWNER_KINDS <= COL_TOUCHED_0 &&
                   COL_TOUCHED_0 + 2 * OWNERS_TOUCHED <= COL_PAGES_0,
               "columns are of one thing");
_Static_assert(COL_PAGES_0 + 2 * PAGE_KINDS <= COLUMN_LIMIT, "columns are stored in a byte");

const struct metric metrics[] = {
    {"heap.peak", "bytes", "live heap at the instant it was largest", METRIC_PINNED, COL_HEAP_BYTES,
     COL_HEAP_FREED, COL_HEAP_CALLS, COL_HEAP_FREES, 0},
    {"heap.leaked", "bytes", "heap still live at the end", METRIC_LEVEL, COL_HEAP_BYTES,
     COL_HEAP_FREED, COL_HEAP_CALLS, COL_HEAP_FREES, 0},
    {"heap.live", "bytes", "heap allocated and not yet freed", METRIC_LEVEL, COL_HEAP_BYTES,
     COL_HEAP_FREED, COL_HEAP_CALLS, COL_HEAP_FREES, 0},
    {"heap.allocated", "bytes", "all bytes ever asked for", METRIC_COUNTER, COL_HEAP_BYTES,
     COL_NONE, COL_HEAP_CALLS, COL_NONE, 0},
    {"heap.calls", "calls", "successful allocations", METRIC_COUNTER, COL_HEAP_CALLS, COL_NONE,
     COL_HEAP_CALLS, COL_NONE, 0},
    {"heap.temporary", "calls", "blocks freed by their thread before it allocated again",
     METRIC_COUNTER, COL_HEAP_TEMPORARY, COL_NONE, COL_HEAP_TEMPORARY, COL_NONE, 0},
    {"heap.slack", "bytes", "usable minus asked-for bytes of live blocks", METRIC_LEVEL,
     COL_HEAP_SLACK, COL_HEAP_SLACK_FREED, COL_HEAP_CALLS, COL_HEAP_FREES, 0},
    {"heap.freed", "bytes", "freed bytes, by the stack that had allocated them", METRIC_COUNTER,
     COL_HEAP_FREED, COL_NONE, COL_HEAP_FREES, COL_NONE, 0},
    {"maps.live", "bytes", "memory mapped by the program itself and not yet unmapped", METRIC_LEVEL,
     COL_MAP_BYTES, COL_MAP_FREED, COL_MAP_CALLS, COL_MAP_FREES, 0},
    {"maps.mapped", "bytes", "all bytes ever mapped by the program itself", METRIC_COUNTER,
     COL_MAP_BYTES, COL_NONE, COL_MAP_CALLS, COL_NONE, 0},
    {"maps.calls", "calls", "successful mmap, mremap and sbrk growth", METRIC_COUNTER,
     COL_MAP_CALLS, COL_NONE, COL_MAP_CALLS, COL_NONE, 0},
    {"cpu.on", "ns", "time on a processor", METRIC_COUNTER, COL_CPU_NS, COL_NONE, COL_CPU_SAMPLES,
     COL_NONE, 0},
    {"cpu.off", "ns", "time spent waiting", METRIC_COUNTER, COL_OFFCPU_NS, COL_NONE,
     COL_OFFCPU_COUNT, COL_NONE, 0},
    {"cpu.instructions", "instructions", "instructions run, as valgrind counts them",
     METRIC_COUNTER, COL_INSTRUCTIONS, COL_NONE, COL_NONE, COL_NONE, 0},
    {"cost", "units",
     "the event that a file of another program counts; its notes name the "
     "event",
     METRIC_COUNTER, COL_COST, COL_NONE, COL_NONE, COL_NONE, 0},
    {"pool.peak", "bytes", "blocks of the program's own pools at the instant of their peak",
     METRIC_PINNED, COL_POOL_BYTES, COL_POOL_FREED, COL_POOL_CALLS, COL_POOL_FREES, 0},
    {"pool.live", "bytes", "blocks of the program's own pools, not yet freed", METRIC_LEVEL,
     COL_POOL_BYTES, COL_POOL_FREED, COL_POOL_CALLS, COL_POOL_FREES, 0},
    {"pool.allocated", "bytes", "all bytes ever asked of the program's own pools", METRIC_COUNTER,
     COL_POOL_BYTES, COL_NONE, COL_POOL_CALLS, COL_NONE, 0},
    {"pool.calls", "calls", "blocks ever made by the program's own pools", METRIC_COUNTER,
     COL_POOL_CALLS, COL_NONE, COL_POOL_CALLS, COL_NONE, 0},
    {"pool.freed", "bytes", "freed bytes of pools, by the stack that had asked for them",
     METRIC_COUNTER, COL_POOL_FREED, COL_NONE, COL_POOL_FREES, COL_NONE, 0},
    {"region.live", "bytes", "memory to which the program gave a name", METRIC_LEVEL,
     COL_REGION_BYTES, COL_REGION_FREED, COL_REGION_CALLS, COL_REGION_FREES, 0},
    {"resident", "bytes", "resident memory, by owner", METRIC_LEVEL, RESIDENT(OWNER_LIVE), COL_NONE,
     COL_NONE, OWNER_KINDS - 1},
    {"heap.resident", "bytes", "resident bytes of live blocks", METRIC_LEVEL, RESIDENT(OWNER_LIVE),
     COL_NONE, COL_NONE, 0},
    {"heap.held", "bytes", "resident bytes that live blocks pin and do not use", METRIC_LEVEL,
     RESIDENT(OWNER_HELD), COL_NONE, COL_NONE, 0},
    {"heap.kept", "bytes", "resident pages of the heap without any block", METRIC_LEVEL,
     RESIDENT(OWNER_KEPT), COL_NONE, COL_NONE, 0},
    {"maps.resident", "bytes", "resident bytes of memory that the program mapped itself",
     METRIC_LEVEL, RESIDENT(OWNER_MAPPED), COL_NONE, COL_NONE, 0},
    {"stacks.resident", "bytes", "resident stacks of threads", METRIC_LEVEL, RESIDENT(OWNER_STACK),
     COL_NONE, COL_NONE, 0},
    {"files.resident", "bytes", "resident libraries and mapped files", METRIC_LEVEL,
     RESIDENT(OWNER_FILE), COL_NONE, COL_NONE, 0},
    {"runtime.resident", "bytes", "resident heap of a language's runtime", METRIC_LEVEL,
     RESIDENT(OWNER_RUNTIME), COL_NONE, COL_NONE, 0},
    {"memoir.resident", "bytes", "resident memory that recording takes", METRIC_LEVEL,
     RESIDENT(OWNER_OWN), COL_NONE, COL_NONE, 0},
    {"before.resident", "bytes",
     "resident heap and mappings that are older than the "
     "recording",
     METRIC_LEVEL, RESIDENT(OWNER_BEFORE), COL_NONE, COL_NONE, 0},
    {"unexplained.resident", "bytes", "resident memory whose owner is not known", METRIC_LEVEL,
     RESIDENT(OWNER_OTHER), COL_NONE, COL_NONE, 0},
    {"heap.kept.touched", "bytes",
     "pages of heap.kept, by the code that touched them "
     "first",
     METRIC_LEVEL, TOUCHED(0), COL_NONE, COL_NONE, 0},
    {"runtime.touched", "bytes", "pages of runtime.resident, by the code that touched them first",
     METRIC_LEVEL, TOUCHED(1), COL_NONE, COL_NONE, 0},
    {"before.touched", "bytes",
     "pages of before.resident, by the code that touched them "
     "first",
     METRIC_LEVEL, TOUCHED(2), COL_NONE, COL_NONE, 0},
    {"unexplained.touched", "bytes",
     "pages of unexplained.resident, by the code that touched them "
     "first",
     METRIC_LEVEL, TOUCHED(3), COL_NONE, COL_NONE, 0},
    {"pages.resident", "bytes", "resident pages, by the code that touched them first", METRIC_LEVEL,
     PAGES(PAGE_ANON), COL_NONE, COL_NONE, PAGE_KINDS_RESIDENT - 1},
    {"pages.anon", "bytes", "resident private pages in no file", METRIC_LEVEL, PAGES(PAGE_ANON),
     COL_NONE, COL_NONE, 0},
    {"pages.file", "bytes", "resident pages of mapped files", METRIC_LEVEL, PAGES(PAGE_FILE),
     COL_NONE, COL_NONE, 0},
    {"pages.shmem", "bytes", "resident pages of shared memory", METRIC_LEVEL, PAGES(PAGE_SHMEM),
     COL_NONE, COL_NONE, 0},
    {"pages.swap", "bytes", "pages in swap", METRIC_LEVEL, PAGES(PAGE_SWAP), COL_NONE, COL_NONE, 0},
    {"pages.cache", "bytes", "page cache filled by reads, writes and mappings", METRIC_LEVEL,
     PAGES(PAGE_CACHE), COL_NONE, COL_NONE, 0},
    {"pages.kernel", "bytes", "memory of the kernel: page tables, sockets, slab", METRIC_LEVEL,
     PAGES(PAGE_KERNEL), COL_NONE, COL_NONE, 0},
    {NULL, NULL, NULL, METRIC_COUNTER, COL_NONE, COL_NONE, COL_NONE, COL_NONE, 0},
};

const struct metric *metric_find(const char *name)
{
    for (const struct metric *metric = metrics; metric->name; metric++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

bool metric_is_timeless(const struct metric *metric)
{
    return metric->kind == METRIC_PINNED || strcmp(metric->name, "heap.leaked") == 0;
}
