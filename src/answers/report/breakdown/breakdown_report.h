/* breakdown_report.h - a breakdown for people and for programs. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/memory/breakdown.h"
#include "model/memory/memory_figure.h"

#define BREAKDOWN_TOP 20u /* mappings listed unless told otherwise */

/* Of the whole numbers in the text; the exact kB stand behind them in any case. */
enum breakdown_unit { UNIT_MIB, UNIT_BYTES, UNIT_KIB, UNIT_GIB };

/* The words for it, in that order: "MB", "B", "kB", "GB"; then NULL. */
extern const char *const breakdown_unit_names[];

struct breakdown_view {
    unsigned top;              /* mappings listed */
    bool all;                  /* every mapping with resident pages */
    bool without_addresses;    /* for readers who should not learn where things lie */
    enum memory_figure figure; /* of which mappings are listed, largest first */
    uint64_t min_bytes; /* lines and mappings with less of it are summed up, or left out of lists */
    enum breakdown_unit unit;
};

/* Sections, totals, what runtimes say, the largest mappings.  Whole MiB stand where scripts look
 * for them (`grep 'RSS (Resident)' | awk '{print $3}'`), the exact kB behind. */
void breakdown_text_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                          FILE *out);
/* Returns 0 or -EIO; docs/json.md describes it. */
int breakdown_json_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);
/* A row per leaf; with `all`, a row per mapping. */
void breakdown_csv_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);

/* Section;Label;Item and the bytes of the figure, for flame graphs; deepest last.  Parts without
 * any are left out. */
void breakdown_folded_write(const struct breakdown *breakdown, enum memory_figure figure,
                            FILE *out);

/* Returns the regions with the most of the figure, at most `top` (`all`: any number), none empty or
 * below the minimum: numbers of regions, which the caller frees.  NULL when there are none. */
uint32_t *breakdown_largest(const struct breakdown *breakdown, const struct breakdown_view *view,
                            size_t *count);
