/* plot_columns.h - inside `report`: the columns of a plot, from what stands beside the cells of
 * buckets and what these come to over all stacks. */
#pragma once

#include "report/plot/plot_data.h"

struct column_maker {
    struct plot_data *data;
    uint64_t from_ns, to_ns;
    uint64_t column_ns; /* a column is closed when it would get longer */
    const struct metric *lanes[PLOT_LANES];
    uint8_t lane_of_column[COLUMN_LIMIT]; /* its place + 1; 0: in none */
    int64_t lane_levels[PLOT_LANES];
    bool failed; /* out of memory */
};

/* `data` and the times are set. */
void column_maker_init(struct column_maker *maker);
/* The next bucket, from the beginning of the recording on: a level needs everything that came
 * before. */
void column_maker_add(void *into, const struct bucket *bucket);

/* Returns how `cell` changes `metric`. */
int64_t plot_change(const struct metric *metric, const struct cell *cell);
