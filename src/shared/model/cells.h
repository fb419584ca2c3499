/* cells.h - lists of cells: brought into order, summed, and as bytes. */
#pragma once

#include "base/bytes.h"
#include "base/vec.h"
#include "model/recording.h"

struct cell_list {
    struct cell *items;
    size_t count, room; /* usable with vec.h */
};

/* Orders by column, then key, and adds up cells that are alike; cells of value 0 go.  Returns how
 * many are left.  `scratch` has room for `count` cells. */
size_t cells_tidy(struct cell *cells, size_t count, struct cell *scratch);

/* Adds `count` cells to a sum that stays within a small multiple of its distinct cells. 0 or
 * -ENOMEM. */
struct cell_sum {
    struct cell_list list;
    struct cell_list scratch;
    size_t tidy; /* the first so many of `list` are in order already */
};
int cell_sum_add(struct cell_sum *sum, const struct cell *cells, size_t count);
/* Brings the sum into its final order; sum->list then holds it. */
int cell_sum_finish(struct cell_sum *sum);
void cell_sum_fini(struct cell_sum *sum);

/* Whether they are in that order, each once and none of value 0. */
bool cells_are_tidy(const struct cell *cells, size_t count);

/* Encodes cells that cells_tidy has ordered. */
void cells_put(struct byte_buffer *buffer, const struct cell *cells, size_t count);
/* The inverse.  0 with *cells (NULL when there are none) the caller's, -EINVAL, or -ENOMEM. */
int cells_parse(struct byte_reader *reader, struct cell **cells, size_t *count);
