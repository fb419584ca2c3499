/* cells.h - sorts, sums and encodes lists of cells. */
#pragma once

#include "base/bytes.h"
#include "base/vec.h"
#include "model/recording.h"

/* Sorts by column, then key; adds up cells of equal column and key, and removes cells of value 0.
 * Returns the number of cells left.  `scratch` has room for `count` cells. */
size_t cells_tidy(struct cell *cells, size_t count, struct cell *scratch);

/* A sum of cells, whose memory stays within a small multiple of its distinct cells.  All zero to
 * begin. */
struct cell_sum {
    struct cell_list list;
    struct cell_list scratch;
    size_t tidy; /* Number of cells at the beginning of `list` that are sorted. */
};
/* Adds `count` cells.  Returns 0 or -ENOMEM. */
int cell_sum_add(struct cell_sum *sum, const struct cell *cells, size_t count);
/* Sorts the sum; sum->list then holds the result.  Returns 0 or -ENOMEM. */
int cell_sum_finish(struct cell_sum *sum);
void cell_sum_fini(struct cell_sum *sum);

/* Returns whether the cells are as cells_tidy leaves them. */
bool cells_are_tidy(const struct cell *cells, size_t count);

/* Encodes cells that cells_tidy has sorted. */
void cells_put(struct byte_buffer *buffer, const struct cell *cells, size_t count);
/* Decodes what cells_put wrote.  Returns 0, and the caller owns *cells (NULL if there are none);
 * or -EINVAL or -ENOMEM. */
int cells_parse(struct byte_reader *reader, struct cell **cells, size_t *count);
/* Appends the cells of the columns whose flag in `wanted` (indexed by column) is true; the others
 * are passed over.  NULL: all columns.  Returns 0, or -EINVAL or -ENOMEM with any of them there. */
int cells_parse_columns(struct byte_reader *reader, const bool *wanted, struct cell_list *list);
