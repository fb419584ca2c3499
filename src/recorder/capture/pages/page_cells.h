/* page_cells.h - what a page station finds, as a source of cells for recordings. */
#pragma once

#include "capture/sessions/cell_source.h"
#include "capture/outside/outside_watch.h"
#include "pages/page_station.h"

struct page_cells {
    struct cell_source source;  /* to be given to recordings */
    struct outside_watch watch; /* the same for those who record from outside */
    struct page_station *station;
    VEC(struct page_told) told; /* by process */
    bool is_alone;              /* nobody else tells these recordings how much is resident */
};

/* What of its sums a recording has been told already. */
struct page_told {
    uint32_t pid;
    uint64_t faults, lost, gaps;
    uint64_t stack_ends[STACK_END_KINDS];
};

void page_cells_init(struct page_cells *cells, struct page_station *station);
void page_cells_fini(struct page_cells *cells);
