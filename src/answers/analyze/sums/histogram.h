/* histogram.h - how large blocks were and how long they lived, for all stacks or for some. */
#pragma once

#include "analyze/sums/weigh.h"

/* Successful allocations by size class, frees by lifetime class; see metric.h for the bounds.
 * Blocks that were never freed have a size and no lifetime. */
struct histogram {
    uint64_t sizes[SIZE_CLASSES];
    uint64_t lifetimes[LIFETIME_CLASSES];
};

/* Adds up over *range, which is snapped outward as bucket_walk does.  `site_of_stack` says where
 * each stack_id counts: an index into `sites`, or HISTOGRAM_SKIP; NULL: everything into sites[0].
 * `sites` is not cleared. */
#define HISTOGRAM_SKIP UINT32_MAX
struct histogram_sites {
    const uint32_t *site_of_stack;
    struct histogram *sites;
    bool of_pools; /* blocks of pools, not of the heap */
};
int histogram_add(struct recording *recording, struct time_range *range,
                  struct histogram_sites sites, struct fault *fault);

uint64_t histogram_total(const uint64_t *classes, size_t count);

/* The smallest size of class k; its largest is histogram_size_from(k + 1) - 1. */
uint64_t histogram_size_from(unsigned k);
/* The shortest lifetime of class k, in ns. */
uint64_t histogram_lifetime_from(unsigned k);
