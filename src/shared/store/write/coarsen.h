/* coarsen.h - which buckets become one as they age, and what the one says. */
#pragma once

#include "model/recording.h"

/* How hard to squeeze: 0 is the ladder as documented; each further step counts every age fourfold,
 * up to the last, where everything but the newest bucket is one. */
#define COARSEN_STEPS 14

/* How long a new bucket is that ends `now_ns` after the start: short at first, where a short run
 * has all it has, and nearly a second from then on: a reader of a growing file is promised that it
 * is no older. */
#define LADDER_BUCKET_MAX_NS UINT64_C(900000000)
static inline uint64_t ladder_bucket_ns(uint64_t now_ns)
{
    uint64_t const share = now_ns / 100;
    uint64_t const shortest = UINT64_C(20000000), longest = LADDER_BUCKET_MAX_NS;
    return share < shortest ? shortest : share > longest ? longest : share;
}
#define LADDER_HISTOGRAM_NS UINT64_C(60000000000) /* sizes and lifetimes are written so often */

/* The width that buckets of this age are merged to; 0 leaves them as they are. */
uint64_t coarsen_width(uint64_t age_ns, unsigned step);

/* Where groups may end, in addition to the grid of the ladder. */
struct coarsen_plan {
    const struct bucket *buckets;
    size_t count;
    /* its pins keep their boundaries, and marks that are not too close together */
    const struct recording *recording;
    unsigned step;
    bool enabled; /* false: every bucket stays by itself */
};

/* The end (exclusive) of the group of buckets that begins with `first`. */
size_t coarsen_group_end(const struct coarsen_plan *plan, size_t first);
size_t coarsen_group_count(const struct coarsen_plan *plan);

/* True when a pinned instant lies on this boundary. */
bool coarsen_is_pinned(const struct recording *recording, uint64_t time_ns);

/* Lengthens `bucket` by the one after it: gauges keep end, max and min, RSS and PSS end and max,
 * losses add up; cells are the caller's business. */
void coarsen_absorb(struct bucket *bucket, const struct bucket *next);
