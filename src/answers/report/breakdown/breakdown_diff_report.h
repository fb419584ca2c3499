/* breakdown_diff_report.h - writes the change between two breakdowns as text, JSON and CSV. */
#pragma once

#include <stdio.h>

#include "analyze/diff/breakdown_diff.h"

struct breakdown_diff_view {
    const struct breakdown_diff *diff;
    const struct breakdown *before, *after;
    uint64_t min_bytes; /* smaller changes are added up in one line */
    unsigned top;       /* maximum number of lines in the text */
};

void breakdown_diff_text_write(const struct breakdown_diff_view *view, FILE *out);
/* Returns 0 or -EIO. */
int breakdown_diff_json_write(const struct breakdown_diff_view *view, FILE *out);
void breakdown_diff_csv_write(const struct breakdown_diff_view *view, FILE *out);
