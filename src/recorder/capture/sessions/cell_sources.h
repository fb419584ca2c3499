/* cell_sources.h - combines several sources of cells into one. */
#pragma once

#include "capture/sessions/cell_source.h"

#define CELL_SOURCES_MAX 2u

struct cell_sources {
    struct cell_source source; /* For recordings. */
    const struct cell_source *parts[CELL_SOURCES_MAX];
    unsigned count;
};

/* Begins without any source. */
void cell_sources_init(struct cell_sources *sources);
void cell_sources_add(struct cell_sources *sources, const struct cell_source *part);
