/* cell_chunk.h - the cells of one bucket or pin, into and out of a chunk. */
#pragma once

#include "store/cells.h"
#include "store/chunk_scan.h"

struct cell_pair {
    struct cell *cells, *thread_cells;
    size_t cell_count, thread_cell_count;
};
void cell_pair_free(struct cell_pair *pair);

/* Orders and sums the cells in place and adds them to the packed part.  0 or -ENOMEM. */
int cell_pair_put(struct chunk_draft *draft, struct cell_pair *pair);

/* The cells of a whole chunk; the caller frees.  0, -EINVAL, or -ENOMEM. */
int cell_pair_take(struct chunk_packer *packer, const struct found_chunk *found,
                   struct cell_pair *pair);
