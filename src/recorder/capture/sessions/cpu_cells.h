/* cpu_cells.h - makes what a cpu station finds a source of cells for recordings. */
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
    struct cell_source source;  /* For recordings. */
    struct outside_watch watch; /* For outside_recorder.h. */
    struct cpu_station *station;
    /* The part of the station's sums that is already in each recording. */
    VEC(struct cpu_told) told;
};

void cpu_cells_init(struct cpu_cells *cells, struct cpu_station *station);
void cpu_cells_fini(struct cpu_cells *cells);
