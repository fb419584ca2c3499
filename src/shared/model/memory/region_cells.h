/* region_cells.h - which pages of a mapping are resident, in cells of equal size: a picture of a
 * stretch of addresses. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

#define REGION_CELLS_MOST 4096u

struct region_cell {
    uint64_t resident, swapped; /* bytes */
    /* of the resident ones: pages of a file or shared memory, and no private copy */
    uint64_t of_file;
};

struct region_cells {
    uint64_t cell_bytes; /* whole pages; the last cell may be shorter */
    VEC(struct region_cell) items;
};
