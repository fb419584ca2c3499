/* walk_region.h - looks at the pages of one stretch of addresses. */
#pragma once

#include "base/fault.h"
#include "model/memory/region_cells.h"

/* Of start..end of a process, in at most `most` cells (1 to REGION_CELLS_MOST).  The pages are
 * walked gently.  0; -E2BIG with a sentence when it is so large that walking would take seconds;
 * or another -errno with a sentence.  The caller ends it after success. */
int walk_region(uint32_t pid, uint64_t start, uint64_t end, size_t most, struct region_cells *cells,
                struct fault *fault);
void region_cells_fini(struct region_cells *cells);

/* Returns how large a cell is, so that there are at most `most` of whole pages. */
uint64_t region_cell_bytes(uint64_t size, uint64_t page, size_t most);
