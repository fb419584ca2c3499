/* page_cells.h - makes what a page station finds a source of cells for recordings. */
#pragma once

#include "capture/sessions/cell_source.h"
#include "capture/outside/outside_watch.h"
#include "pages/page_station.h"

struct page_cells {
    struct cell_source source;  /* For recordings. */
    struct outside_watch watch; /* For outside_recorder.h. */
    struct page_station *station;
    VEC(struct page_told) told; /* By process. */
    bool is_alone;              /* No other source tells these recordings how much is resident. */
};

/* The part of the station's sums that is already in a recording. */
struct page_told {
    uint32_t pid;
    uint64_t faults, lost, gaps;
    uint64_t stack_ends[STACK_END_KINDS];
};

void page_cells_init(struct page_cells *cells, struct page_station *station);
void page_cells_fini(struct page_cells *cells);
