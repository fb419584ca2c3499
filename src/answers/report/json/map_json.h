/* map_json.h - writes the address space of a process as JSON, sorted by address; see
 * docs/api.md. */
#pragma once

#include <stdio.h>

#include "analyze/memory/map_rows.h"
#include "model/recording.h"
#include "model/memory/region_cells.h"

struct map_report {
    const struct breakdown *breakdown;
    const struct map_rows *rows;
    struct recording *recording; /* has the call stacks of mappings; NULL: there is none */
    bool without_addresses;      /* for readers who may not learn addresses */
    /* cells of region number `region`; NULL: not asked for, or not available */
    const struct region_cells *cells;
    uint32_t region;
    const char *cells_trouble; /* why `cells` is not available, or NULL */
};

/* Returns 0 or -EIO. */
int map_json_write(const struct map_report *report, FILE *out);
