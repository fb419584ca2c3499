/* plot_columns.h - inside `report`: makes the columns of a plot from the gauges of buckets, and
 * from sums of their cells over all stacks. */
#pragma once

#include "report/plot/plot_data.h"

struct column_maker {
    struct plot_data *data;
    uint64_t from_ns, to_ns;
    uint64_t column_ns; /* Columns end this far apart, or their buckets are longer. */
    const struct metric *lanes[PLOT_LANES];
    uint8_t lane_of_column[COLUMN_LIMIT]; /* index of the lane + 1, by column; 0: in no lane */
    int64_t lane_levels[PLOT_LANES];
    bool failed; /* out of memory */
};

/* Call it after `data` and the times are set. */
void column_maker_init(struct column_maker *maker);
/* Adds the next bucket.  Call it for all buckets from the beginning of the recording, because a
 * level depends on everything before. */
void column_maker_add(void *into, const struct bucket *bucket);

/* Returns how much `cell` adds to `metric`. */
int64_t plot_change(const struct metric *metric, const struct cell *cell);
