/* breakdown_report.h - writes a breakdown as text, JSON, CSV and folded stacks. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "model/memory/breakdown.h"
#include "model/memory/memory_figure.h"

#define BREAKDOWN_TOP 20u /* default number of listed mappings */

/* Unit of the whole numbers in the text.  The exact kB follow each number in any case. */
enum breakdown_unit { UNIT_MIB, UNIT_BYTES, UNIT_KIB, UNIT_GIB };

/* Names of the units, in the order of the enum: "MB", "B", "kB", "GB"; then NULL. */
extern const char *const breakdown_unit_names[];

struct breakdown_view {
    unsigned top;              /* mappings listed */
    bool all;                  /* every mapping with resident pages */
    bool without_addresses;    /* for readers who may not learn addresses */
    enum memory_figure figure; /* the figure by which mappings are sorted, largest first */
    /* lines with less of the figure are added up, mappings with less are not listed */
    uint64_t min_bytes;
    enum breakdown_unit unit;
};

/* Writes sections, totals, what runtimes report, and the largest mappings.  Whole MiB are where
 * scripts look for them (`grep 'RSS (Resident)' | awk '{print $3}'`), and the exact kB follow. */
void breakdown_text_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                          FILE *out);
/* Writes JSON as docs/json.md describes it.  Returns 0 or -EIO. */
int breakdown_json_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);
/* Writes one row per leaf; with `all`, one row per mapping. */
void breakdown_csv_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out);

/* Writes lines "Section;Label;Item BYTES" for flame graphs; the innermost name is last.  Parts with
 * no bytes of the figure are left out. */
void breakdown_folded_write(const struct breakdown *breakdown, enum memory_figure figure,
                            FILE *out);

/* Returns the numbers of the regions with the most of the figure, at most `top` of them (with `all`
 * any number); no empty ones, and none below the minimum.  The caller frees the array.  NULL if
 * there are none. */
uint32_t *breakdown_largest(const struct breakdown *breakdown, const struct breakdown_view *view,
                            size_t *count);
