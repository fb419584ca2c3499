/* pprof_cells.h - the samples of one profile as cells of a recording, by stack and by thread:
 * levels, as of the instant it was taken. */
#pragma once

#include "formats/pprof/pprof_columns.h"
#include "formats/pprof/pprof_frames.h"

struct pprof_cell_list {
    VEC(struct cell) cells;
};

struct pprof_cells {
    struct pprof_cell_list stacks, threads; /* by key and column, each once, none 0 */
    struct pprof_cell_list peak; /* of what memoir itself wrote: the picture of the peak */
    uint64_t labels_left_out;    /* samples with labels that a recording has no place for */
    uint32_t left_out_key;       /* a string: one of those */
};

/* Returns 0 or -ENOMEM.  `outer` is what all stacks are called from. */
int pprof_cells_make(struct pprof_cells *cells, struct pprof_frames *frames,
                     const struct pprof_columns *columns, stack_id outer);
void pprof_cells_fini(struct pprof_cells *cells);

/* By key and column, sums of the same, none 0. */
void pprof_cells_tidy(struct pprof_cell_list *list);
int pprof_cells_compare(const void *left, const void *right);
static inline int64_t pprof_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b); /* nonsense wraps instead of trapping */
}
