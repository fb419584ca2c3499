/* cell_chunk.h - the cells of one bucket or pin, into and out of a chunk. */
#pragma once

#include "model/cells.h"
#include "store/read/chunk_scan.h"
#include "store/chunks/moments.h"

struct cell_lists {
    struct cell *cells, *thread_cells;
    size_t cell_count, thread_cell_count;
    struct moment *moments; /* pins have none */
    size_t moment_count;
};
void cell_lists_free(struct cell_lists *lists);

/* Orders and sums the cells in place and adds them to the packed part.  0 or -ENOMEM. */
int cell_lists_put(struct chunk_draft *draft, struct cell_lists *lists);

/* The cells of a whole chunk; the caller frees.  0, -EINVAL, or -ENOMEM. */
int cell_lists_parse(struct chunk_packer *packer, const struct found_chunk *found,
                     struct cell_lists *lists);
