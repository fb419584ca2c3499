/* histogram.h - how large blocks were and how long they lived, for all stacks or for some. */
#pragma once

#include "analyze/sums/weigh.h"

/* Successful allocations by size class, frees by lifetime class; see metric.h for the bounds.
 * Blocks that were never freed have a size and no lifetime. */
struct histogram {
    uint64_t sizes[SIZE_CLASSES];
    uint64_t lifetimes[LIFETIME_CLASSES];
};

/* Where histogram_add counts the blocks of each stack. */
#define HISTOGRAM_SKIP UINT32_MAX
struct histogram_sites {
    /* Indexed by stack_id: an index into `sites`, or HISTOGRAM_SKIP to ignore the stack.
     * NULL: all stacks count in sites[0]. */
    const uint32_t *site_of_stack;
    struct histogram *sites; /* The counts are added to what is there; the caller clears it. */
    bool of_pools;           /* Count blocks of pools, not of the heap. */
};
/* Adds up over *range, which is extended outward to bucket boundaries as in bucket_walk.
 * Returns 0 or -errno with `fault`. */
int histogram_add(struct recording *recording, struct time_range *range,
                  struct histogram_sites sites, struct fault *fault);

/* Sum of the `count` classes. */
uint64_t histogram_total(const uint64_t *classes, size_t count);

/* The smallest size of class k; the largest size is histogram_size_from(k + 1) - 1. */
uint64_t histogram_size_from(unsigned k);
/* The shortest lifetime of class k, in ns. */
uint64_t histogram_lifetime_from(unsigned k);
