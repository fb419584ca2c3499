/* pprof_cells.h - makes cells of a recording from the samples of one profile, by stack and by
 * thread: levels at the time of the profile. */
#pragma once

#include "formats/pprof/pprof_columns.h"
#include "formats/pprof/pprof_frames.h"

struct pprof_cell_list {
    VEC(struct cell) cells;
};

struct pprof_cells {
    struct pprof_cell_list stacks, threads; /* sorted by key and column, each once, none 0 */
    struct pprof_cell_list peak; /* for files that memoir wrote: the snapshot of the peak */
    uint64_t labels_left_out;    /* number of samples with labels that a recording cannot store */
    uint32_t left_out_key;       /* a string: the key of one of those labels */
};

/* Makes the cells.  `outer` is the caller of all stacks.  Returns 0 or -ENOMEM. */
int pprof_cells_make(struct pprof_cells *cells, struct pprof_frames *frames,
                     const struct pprof_columns *columns, stack_id outer);
void pprof_cells_fini(struct pprof_cells *cells);

/* Sorts cells by key and column, adds up equal ones, and removes zeros. */
void pprof_cells_tidy(struct pprof_cell_list *list);
int pprof_cells_compare(const void *left, const void *right);
static inline int64_t pprof_wrap_add(int64_t a, int64_t b)
{
    /* invalid values wrap around instead of trapping */
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
