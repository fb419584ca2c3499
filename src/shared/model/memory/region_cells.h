/* region_cells.h - which parts of a mapping are resident: the address range in cells of equal size,
 * to be drawn. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

#define REGION_CELLS_MOST 4096u

struct region_cell {
    uint64_t resident, swapped; /* Bytes. */
    /* Part of `resident`: pages of files and shared memory that are no private copies. */
    uint64_t of_file;
};

struct region_cells {
    uint64_t cell_bytes; /* A multiple of the page size; the last cell may be shorter. */
    VEC(struct region_cell) items;
};
