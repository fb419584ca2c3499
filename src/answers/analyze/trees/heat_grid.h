/* heat_grid.h - when something happened, as a grid of cells in columns: of time to the instant, of everything else that adds up by the
 * stretches that a recording has sums of.
 *
 * Of moments a column is a second (or more) and a cell an equal part of it, as in heat_map.h.  Where there are none, a cell is one bucket of
 * the recording, so nothing is made up in between; a column is as many buckets as there are rows. */
#pragma once

#include "analyze/sums/weigh.h"

struct heat_cell {
    uint32_t slot; /* column * rows + row, in the order of time */
    int64_t value, count;
};

struct heat_grid {
    bool is_by_bucket;
    uint64_t resolution_ns; /* of the longest cell */
    uint64_t begin_ns;      /* of column 0 */
    uint64_t column_ns;     /* of the longest column */
    uint32_t columns, rows;
    VEC(struct heat_cell) cells;        /* that have something, by slot */
    VEC(struct time_range) stretches;   /* by bucket: when each cell is, by slot; by moment: none */
    int64_t placed_value, placed_count; /* of all cells; what is not in any has lost its instant */
};

/* `codes` as of stack_match.h, or NULL: all stacks.  0; -EINVAL with a sentence for a level, which is not made of moments; or another
 * -errno with a sentence.  Call heat_grid_fini after success. */
int heat_grid_build(struct recording *recording, const struct metric *metric,
                    struct time_range range, const uint32_t *codes, struct heat_grid *grid,
                    struct fault *fault);
void heat_grid_fini(struct heat_grid *grid);
