/* map_json.h - the address space of a process as JSON, in order of address; docs/api.md. */
#pragma once

#include <stdio.h>

#include "analyze/memory/map_rows.h"
#include "model/recording.h"
#include "model/memory/region_cells.h"

struct map_report {
    const struct breakdown *breakdown;
    const struct map_rows *rows;
    struct recording *recording;      /* has the call stacks of mappings, or NULL */
    bool without_addresses;           /* for readers who should not learn where things lie */
    const struct region_cells *cells; /* of `region`; NULL: not asked for, or not to be had */
    uint32_t region;
    const char *cells_trouble; /* why there are none, or NULL */
};

/* Returns 0 or -EIO. */
int map_json_write(const struct map_report *report, FILE *out);
