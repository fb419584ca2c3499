/* coarsen.h - merges buckets as they age: which ones, and what the merged bucket contains. */
#pragma once

#include "model/recording.h"

/* Steps of merging: 0 is the ladder as documented; each further step multiplies all ages by four,
 * up to the last, where all but the newest bucket are one. */
#define COARSEN_STEPS 14

/* Returns the length of a new bucket that ends `now_ns` after the start: short at first, for the
 * sake of short runs, later 0.9 s, because a reader of a growing file may rely on data no older
 * than that. */
#define LADDER_BUCKET_MAX_NS UINT64_C(900000000)
static inline uint64_t ladder_bucket_ns(uint64_t now_ns)
{
    uint64_t const share = now_ns / 100;
    uint64_t const shortest = UINT64_C(20000000), longest = LADDER_BUCKET_MAX_NS;
    return share < shortest ? shortest : share > longest ? longest : share;
}
#define LADDER_HISTOGRAM_NS UINT64_C(60000000000) /* How often sizes and lifetimes are written. */

/* Returns the width that buckets of this age are merged to; 0: they are not merged. */
uint64_t coarsen_width(uint64_t age_ns, unsigned step);

/* Where groups may end, in addition to the grid of the ladder. */
struct coarsen_plan {
    const struct bucket *buckets;
    size_t count;
    /* Boundaries at its pins are kept, and at marks that are not too close together. */
    const struct recording *recording;
    unsigned step;
    bool enabled; /* False: no bucket is merged. */
};

/* Returns the end (exclusive) of the group of buckets that begins with `first`. */
size_t coarsen_group_end(const struct coarsen_plan *plan, size_t first);
size_t coarsen_group_count(const struct coarsen_plan *plan);

/* Returns whether a pin lies on this boundary. */
bool coarsen_is_pinned(const struct recording *recording, uint64_t time_ns);

/* Extends `bucket` by the next one: combines end, maximum and minimum of gauges, RSS and PSS, and
 * adds up losses.  Cells are left to the caller. */
void coarsen_absorb(struct bucket *bucket, const struct bucket *next);
