/* side_report.h - several metrics side by side, as text, JSON and CSV. */
#pragma once

#include <stdio.h>

#include "analyze/diff/side_by_side.h"
#include "report/text/text_style.h"

struct side_view {
    uint64_t top; /* rows, or SIDE_NO_TOP: each form has its own default */
    bool threshold_given;
    double threshold;   /* rows with less of every metric, as a share, are left out */
    bool reverse;       /* smallest first */
    bool top_down;      /* a tree from the outermost function */
    const char *filter; /* as typed, or NULL */
};
#define SIDE_NO_TOP UINT64_MAX

/* Returns 0 or -ENOMEM; errors of writing are the file's. */
int side_text_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, const struct text_style *style, FILE *out);
int side_json_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out);
void side_csv_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out);

/* Inside `report`: the rows to show, in order.  Calls `put` for each; *left_out counts the
 * others. */
typedef void side_put_row(void *context, const struct side_row *row);
void side_each_row(const struct side_by_side *sides, const struct side_view *view,
                   uint64_t fallback_top, side_put_row *put, void *context);
/* Returns whether no metric has `share` of its whole or more. */
bool side_is_small(const struct side_by_side *sides, const struct side_value *values, double share);
