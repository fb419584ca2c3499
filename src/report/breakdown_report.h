/* breakdown_report.h - a breakdown for people and for programs. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/breakdown.h"

#define BREAKDOWN_TOP 20u /* mappings listed unless told otherwise */

struct breakdown_view {
    unsigned top;           /* mappings listed */
    bool all;               /* every mapping with resident pages */
    bool without_addresses; /* for readers who should not learn where things lie */
};

/* Sections, totals, what runtimes say, the largest mappings.  Whole MiB stand where scripts look for them
 * (`grep 'RSS (Resident)' | awk '{print $3}'`), the exact kB behind. */
void breakdown_text_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                          FILE *out);
/* 0 or -EIO; docs/json.md describes it. */
int breakdown_json_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);
/* A row per leaf; with `all`, a row per mapping. */
void breakdown_csv_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);

/* The regions with the most resident pages, at most `top` (`all`: any number), none empty: numbers of regions, which the
 * caller frees.  NULL when there are none. */
uint32_t *breakdown_largest(const struct breakdown *breakdown, const struct breakdown_view *view,
                            size_t *count);
