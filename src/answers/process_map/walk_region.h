/* walk_region.h - reads the state of the pages in a range of addresses. */
#pragma once

#include "base/fault.h"
#include "model/memory/region_cells.h"

/* Reads start..end of a process into at most `most` cells (1 to REGION_CELLS_MOST), by a gentle
 * walk of the pages.  Returns 0; -E2BIG with a sentence if the walk would take seconds; or another
 * -errno with a sentence.  Call region_cells_fini after success. */
int walk_region(uint32_t pid, uint64_t start, uint64_t end, size_t most, struct region_cells *cells,
                struct fault *fault);
void region_cells_fini(struct region_cells *cells);

/* Returns the size of a cell, in whole pages, so that there are at most `most` cells. */
uint64_t region_cell_bytes(uint64_t size, uint64_t page, size_t most);
