/* cpu_cells.h - what a cpu station finds, as a source of cells for recordings. */
#pragma once

#include "capture/sessions/cell_source.h"
#include "capture/outside/outside_watch.h"
#include "cpu/cpu_station.h"

struct cpu_told {
    uint32_t pid;
    uint64_t lost;
    uint64_t stack_ends[STACK_END_KINDS], wait_ends[STACK_END_KINDS];
};

struct cpu_cells {
    struct cell_source source;  /* to be given to recordings */
    struct outside_watch watch; /* the same for those who record from outside */
    struct cpu_station *station;
    VEC(struct cpu_told) told; /* what of its sums each recording has been told already */
};

void cpu_cells_init(struct cpu_cells *cells, struct cpu_station *station);
void cpu_cells_fini(struct cpu_cells *cells);
