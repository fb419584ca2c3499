/* cell_sources.h - several sources of cells as one. */
#pragma once

#include "capture/sessions/cell_source.h"

#define CELL_SOURCES_MAX 2u

struct cell_sources {
    struct cell_source source; /* to be given to recordings */
    const struct cell_source *parts[CELL_SOURCES_MAX];
    unsigned count;
};

/* To begin, without any. */
void cell_sources_init(struct cell_sources *sources);
void cell_sources_add(struct cell_sources *sources, const struct cell_source *part);
