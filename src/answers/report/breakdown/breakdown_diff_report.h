/* breakdown_diff_report.h - what changed between two breakdowns, as text, JSON and CSV. */
#pragma once

#include <stdio.h>

#include "analyze/diff/breakdown_diff.h"

struct breakdown_diff_view {
    const struct breakdown_diff *diff;
    const struct breakdown *before, *after;
    uint64_t min_bytes; /* smaller changes are summed up */
    unsigned top;       /* lines at most, in the text */
};

void breakdown_diff_text_write(const struct breakdown_diff_view *view, FILE *out);
/* Returns 0 or -EIO. */
int breakdown_diff_json_write(const struct breakdown_diff_view *view, FILE *out);
void breakdown_diff_csv_write(const struct breakdown_diff_view *view, FILE *out);
