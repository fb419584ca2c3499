/* heat_grid.h - when something happened, as a grid of cells in columns.
 *
 * For metrics with moments a column is a second (or more) and a cell is an equal part of it, as
 * in heat_map.h.  For other counters a cell is one bucket of the recording, so nothing is
 * interpolated, and a column has as many buckets as the grid has rows. */
#pragma once

#include "analyze/sums/weigh.h"

struct heat_cell {
    uint32_t slot; /* column * rows + row: in the order of time. */
    int64_t value, count;
};

struct heat_grid {
    bool is_by_bucket;      /* Cells are buckets, not parts of a second. */
    uint64_t resolution_ns; /* Length of the longest cell. */
    uint64_t begin_ns;      /* Start of column 0. */
    uint64_t column_ns;     /* Length of the longest column. */
    uint32_t columns, rows;
    VEC(struct heat_cell) cells;      /* Non-empty cells, sorted by slot. */
    VEC(struct time_range) stretches; /* Time of each slot if is_by_bucket; else empty. */
    /* Sums of all cells; moments without a time are in no cell. */
    int64_t placed_value, placed_count;
};

/* `codes` as in stack_match.h: stacks with code 0 are ignored; NULL: all stacks.  Returns 0;
 * -EINVAL with a sentence for a level, which cannot be placed in time; or another -errno with a
 * sentence.  Call heat_grid_fini after success. */
int heat_grid_build(struct recording *recording, const struct metric *metric,
                    struct time_range range, const uint32_t *codes, struct heat_grid *grid,
                    struct fault *fault);
void heat_grid_fini(struct heat_grid *grid);
