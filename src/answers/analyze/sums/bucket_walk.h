/* bucket_walk.h - visits every bucket of a stretch of time, in order, in bounded memory.
 *
 * The cells of a long recording do not fit in memory.  Buckets that were loaded from the file stay
 * loaded while they are few, so that a report can walk them again without reading.  Above that
 * limit each bucket is unloaded before the next one is read.  A visitor that only adds up can get
 * sums of many buckets instead, where the recording has such sums: sum_tree.h. */
#pragma once

#include "analyze/sums/weigh.h"

/* Callback for each bucket.  The cells of `bucket` are loaded, for the time of the call only. */
struct bucket_visitor {
    void (*visit)(void *into, const struct bucket *bucket);
    void *into; /* First argument of the callback. */
};

/* Extends *range outward to bucket boundaries and visits the buckets in that range.
 * Returns 0; -ERANGE with a sentence when the recording has nothing in that range; or the error of
 * loading a bucket. */
int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault);

/* Like bucket_walk, for a visitor that only adds up cells of some columns: `added`, indexed by
 * column, says which.  Of buckets that lie completely inside the asked range, one visited bucket
 * may stand for several: it has the sums of their cells, the time from the first to the last, no
 * gauges and no moments.  A single one of them may have the asked columns only, and no moments. */
int bucket_walk_sums(struct recording *recording, struct time_range *range,
                     struct bucket_visitor visitor, const bool *added, struct fault *fault);

/* Like bucket_walk, for a visitor that needs only the total of each column over all stacks.  Every
 * bucket is visited by itself.  Where the recording knows the totals, the bucket has them as cells
 * of the empty stack, without size and lifetime classes, thread cells and moments. */
int bucket_walk_totals(struct recording *recording, struct time_range *range,
                       struct bucket_visitor visitor, struct fault *fault);

/* Like bucket_walk_sums up to `from_ns`.  From there on the visitor draws the time: the sums are of
 * stretches short enough for a picture.  Size and lifetime classes cannot be among the columns. */
struct drawn_columns {
    uint64_t from_ns;
    const bool *added; /* Indexed by column. */
};
int bucket_walk_drawn(struct recording *recording, struct time_range *range,
                      struct bucket_visitor visitor, struct drawn_columns drawn,
                      struct fault *fault);
