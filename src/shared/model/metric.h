/* metric.h - what can be measured, in one table.
 *
 * A *column* is a number that only ever adds up, per call stack (or thread), as it is recorded:
 * "bytes allocated here", "bytes freed that were allocated here".  A *metric* is what a person asks
 * for; it is one column (a counter) or the difference of two (a level), with a rule for time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/invariant.h"

/* Stored in recordings by number: append only, never reorder. */
enum column {
    COL_NONE = 0,
    COL_HEAP_CALLS,     /* successful allocations */
    COL_HEAP_BYTES,     /* bytes asked for */
    COL_HEAP_FREES,     /* blocks allocated by this stack that were freed */
    COL_HEAP_FREED,     /* their bytes */
    COL_HEAP_TEMPORARY, /* blocks freed by their thread before it allocated again */
    COL_HEAP_SLACK,     /* usable minus asked-for bytes of allocated blocks */
    COL_HEAP_SLACK_FREED,
    COL_MAP_CALLS, /* successful mmap, mremap, sbrk growth made by the program itself */
    COL_MAP_BYTES,
    COL_MAP_FREES,
    COL_MAP_FREED,
    COL_CPU_SAMPLES,
    COL_CPU_NS,
    COL_OFFCPU_COUNT,
    COL_OFFCPU_NS,
    COL_INSTRUCTIONS, /* of foreign files; and ... */
    COL_COST,         /* ... any other event */
    /* how uncertain COL_HEAP_BYTES is because blocks were sampled, see sampling.h */
    COL_HEAP_SPREAD,
    COL_HEAP_SPREAD_FREED, /* and COL_HEAP_FREED */
    COL_POOL_CALLS =
        32, /* of the program's own allocators (memoir.h), in the order of COL_HEAP_* */
    COL_POOL_BYTES,
    COL_POOL_FREES,
    COL_POOL_FREED,
    COL_POOL_TEMPORARY, /* never counted, nor are the two below */
    COL_POOL_SLACK,
    COL_POOL_SLACK_FREED,
    COL_REGION_CALLS = 40, /* memory that the program has named, in the order of COL_MAP_* */
    COL_REGION_BYTES,
    COL_REGION_FREES,
    COL_REGION_FREED,
    COL_OWN_0 =
        /* 44 + k: of the k-th metric that a foreign file alone has, see recording_add_metric() */
    44,
    COL_SIZE_0 = 64,      /* 64 + k: allocations with size class k, see size_class() */
    COL_LIFETIME_0 = 128, /* 128 + k: frees of blocks with lifetime class k, see lifetime_class() */
    COL_POOL_SIZE_0 = 144, /* like COL_SIZE_0, of pools */
    COL_POOL_LIFETIME_0 = 192,
    COL_RESIDENT_0 = 208, /* 208 + 2k: bytes that owner_kind k has more, 209 + 2k: less */
    COL_TOUCHED_0 =
        /* 228 + 2k: bytes of what owner_touched_kinds[k] has, by the code that touched them first:
         * more; 229 + 2k: less */
    228,
    COL_PAGES_0 = 240 /* 240 + 2k: bytes of page_kind k that came, 241 + 2k: that went */
};
#define OWN_METRICS_MAX  20
#define SIZE_CLASSES     40 /* 0: zero bytes; k: [2^(k-1), 2^k) */
#define LIFETIME_CLASSES 16
#define COLUMN_LIMIT     256

static inline unsigned size_class(uint64_t bytes)
{
    unsigned k = bytes ? 64u - (unsigned)__builtin_clzll(bytes) : 0;
    return k < SIZE_CLASSES ? k : SIZE_CLASSES - 1;
}

/* Upper bounds, exclusive, in ns: 1us 10us 100us 1ms 10ms 100ms 1s 10s 1min 10min 1h 6h 1d 7d 30d
 * inf */
extern const uint64_t lifetime_bounds_ns[LIFETIME_CLASSES];
extern const uint8_t lifetime_class_of_octave[65]; /* the class of 2^(k-1) ns, by k */

static inline unsigned lifetime_class(uint64_t ns)
{
    unsigned octave = ns ? 64u - (unsigned)__builtin_clzll(ns) : 0;
    unsigned class = lifetime_class_of_octave[octave];
    INVARIANT(class < LIFETIME_CLASSES);
    return class + (class < LIFETIME_CLASSES - 1 && ns >= lifetime_bounds_ns[class]);
}

enum metric_kind {
    METRIC_COUNTER, /* between A and B: what was added in that time */
    METRIC_LEVEL,   /* at T: the sum up to T;  between A and B: the change */
    METRIC_PINNED,  /* the level at one remembered instant (the peak) */
};

struct metric {
    const char *name; /* "heap.live" */
    const char *unit; /* "bytes", "calls", "ns" */
    const char *help; /* one line for people */
    enum metric_kind kind;
    enum column plus, minus;             /* value = sum(plus) - sum(minus) */
    enum column count_plus, count_minus; /* count = sum(count_plus) - sum(count_minus) */
    unsigned more; /* Number of further pairs of columns that follow `minus`. */
};

/* Returns how a cell of this column counts in the value: 1, -1, or 0 if it does not. */
static inline int metric_sign(const struct metric *metric, unsigned column)
{
    INVARIANT(column < COLUMN_LIMIT);
    for (unsigned i = 0; i <= 2 * metric->more; i += 2) {
        if (column == metric->plus + i)
            return 1;
        if (metric->minus != COL_NONE && column == metric->minus + i)
            return -1;
    }
    return 0;
}

/* Returns how a cell of this column counts in the spread of the value: 1, -1 or 0.  Only metrics of
 * heap bytes have a spread. */
static inline int metric_spread_sign(const struct metric *metric, unsigned column)
{
    if (column == COL_HEAP_SPREAD)
        return metric->plus == COL_HEAP_BYTES;
    if (column != COL_HEAP_SPREAD_FREED)
        return 0;
    return metric->plus == COL_HEAP_FREED ? 1 : metric->minus == COL_HEAP_FREED ? -1 : 0;
}

/* Returns whether only one recording has this metric: see recording_add_metric(). */
static inline bool metric_is_own(const struct metric *metric)
{
    return metric->plus >= COL_OWN_0 && metric->plus < COL_OWN_0 + OWN_METRICS_MAX;
}

/* Returns whether the allocator's own frames at the inner end of a stack are of interest: for time
 * and other costs, not for memory. */
static inline bool metric_shows_allocator(const struct metric *metric)
{
    return (metric->plus >= COL_CPU_SAMPLES && metric->plus <= COL_COST) ||
           (metric_is_own(metric) && strcmp(metric->unit, "bytes") != 0);
}

/* Returns whether there is a count besides the value: of blocks, samples, ... */
static inline bool metric_counts(const struct metric *metric)
{
    return metric->count_plus != COL_NONE;
}

/* Returns whether the metric is about blocks of the program's own allocators. */
static inline bool metric_is_of_pools(const struct metric *metric)
{
    return metric->plus >= COL_POOL_CALLS && metric->plus <= COL_POOL_SLACK_FREED;
}

/* Returns whether the metric is known at one instant only, so that --at and --between do not
 * apply. */
bool metric_is_timeless(const struct metric *metric);

/* heap.peak heap.leaked heap.live heap.allocated heap.calls heap.temporary heap.slack maps.live
 * maps.mapped pool.live ...; ends with a NULL name. */
extern const struct metric metrics[];
const struct metric *metric_find(const char *name); /* NULL if there is none. */
