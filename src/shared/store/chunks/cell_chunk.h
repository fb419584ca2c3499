/* cell_chunk.h - encodes the cells of one bucket or pin as a chunk, and decodes them. */
#pragma once

#include "model/cells.h"
#include "store/read/chunk_scan.h"
#include "store/chunks/moments.h"

struct cell_lists {
    struct cell *cells, *thread_cells;
    size_t cell_count, thread_cell_count;
    struct moment *moments; /* Only buckets have moments. */
    size_t moment_count;
};
void cell_lists_free(struct cell_lists *lists);

/* Sorts and sums the cells in place, and adds them to the packed part.  Returns 0 or -ENOMEM. */
int cell_lists_put(struct chunk_draft *draft, struct cell_lists *lists);

/* Decodes the cells of an intact chunk, which the caller frees.  Returns 0, -EINVAL, or
 * -ENOMEM. */
int cell_lists_parse(struct chunk_packer *packer, const struct found_chunk *found,
                     struct cell_lists *lists);
/* Decodes only the cells of the columns whose flag in `wanted` is true, into lists that may be used
 * again and again; what they held is gone.  Returns 0, -EINVAL, or -ENOMEM. */
int cell_columns_parse(struct chunk_packer *packer, const struct found_chunk *found,
                       const bool *wanted, struct bucket_cells *into);
