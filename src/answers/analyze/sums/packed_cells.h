/* packed_cells.h - inside `analyze`: cells as few bytes, of which single columns can be taken out again. */
#pragma once

#include "model/cells.h"

struct packed_cells {
    uint8_t *bytes; /* NULL when there are none */
    size_t size;
};

/* Of cells that cells_tidy has ordered.  `scratch` is used on the way, and the caller's.  0 or -ENOMEM. */
int packed_cells_make(struct packed_cells *packed, const struct cell *cells, size_t count,
                      struct byte_buffer *scratch);
void packed_cells_fini(struct packed_cells *packed);

/* Appends those of the columns for which `wanted`, by column, is true; NULL: all.  0 or -ENOMEM. */
int packed_cells_take(const struct packed_cells *packed, const bool *wanted,
                      struct cell_list *into);
