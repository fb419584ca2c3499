/* bucket_walk.h - every bucket of a stretch of time, one after the other, in bounded memory.
 *
 * A long recording does not fit in memory as cells.  Buckets that came from the file stay loaded
 * while they are few, so that a report can walk them again for nothing; beyond that each is let go
 * before the next one is read.  Who only adds up gets sums of many buckets where the recording has them: sum_tree.h. */
#pragma once

#include "analyze/sums/weigh.h"

struct bucket_visitor {
    void (*visit)(void *into, const struct bucket *bucket); /* cells are loaded */
    void *into;
};

/* Snaps *range outward to bucket boundaries and visits the buckets in it.
 * 0; -ERANGE with a sentence when the recording has nothing in that range; or what loading gave. */
int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault);

/* The same for one who does nothing with buckets that lie wholly in the asked range but to add up their cells of some columns
 * (`added`, by column): one may stand for several, with their sums, the time they cover, and without moments. */
int bucket_walk_sums(struct recording *recording, struct time_range *range,
                     struct bucket_visitor visitor, const bool *added, struct fault *fault);

/* Each bucket by itself, for one who wants what its columns come to over all stacks: where the recording knows, cells of the empty stack
 * stand for those of all, without classes of sizes and lifetimes, threads and moments. */
int bucket_walk_totals(struct recording *recording, struct time_range *range,
                       struct bucket_visitor visitor, struct fault *fault);

/* For one who draws the time from `from_ns` on, by columns that are none of such classes: as bucket_walk_sums up to there, and then in
 * stretches short enough for a picture. */
struct drawn_columns {
    uint64_t from_ns;
    const bool *added; /* by column */
};
int bucket_walk_drawn(struct recording *recording, struct time_range *range,
                      struct bucket_visitor visitor, struct drawn_columns drawn,
                      struct fault *fault);
