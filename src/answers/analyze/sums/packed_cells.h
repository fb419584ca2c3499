/* packed_cells.h - inside `analyze`: cells in a compressed form from which single columns can be
 * decoded. */
#pragma once

#include "model/cells.h"

struct packed_cells {
    uint8_t *bytes; /* NULL when there are no cells. */
    size_t size;
};

/* Encodes cells that were sorted by cells_tidy.  `scratch` is a temporary buffer that the caller
 * owns.  Returns 0 or -ENOMEM. */
int packed_cells_make(struct packed_cells *packed, const struct cell *cells, size_t count,
                      struct byte_buffer *scratch);
void packed_cells_fini(struct packed_cells *packed);

/* Decodes the columns whose flag in `wanted` (indexed by column) is true, and appends their
 * cells to `into`.  NULL: all columns.  Returns 0 or -ENOMEM. */
int packed_cells_decode(const struct packed_cells *packed, const bool *wanted,
                        struct cell_list *into);
