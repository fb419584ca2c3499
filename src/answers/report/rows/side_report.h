/* side_report.h - writes several metrics side by side, as text, JSON and CSV. */
#pragma once

#include <stdio.h>

#include "analyze/diff/side_by_side.h"
#include "report/text/text_style.h"

struct side_view {
    uint64_t top; /* number of rows; SIDE_NO_TOP: the default of each format */
    bool threshold_given;
    double threshold;   /* rows with a smaller share of every metric are left out */
    bool reverse;       /* smallest first */
    bool top_down;      /* a tree from the outermost function */
    const char *filter; /* as typed, or NULL */
};
#define SIDE_NO_TOP UINT64_MAX

/* Return 0 or -ENOMEM; write errors stay in `out`, which the caller must check. */
int side_text_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, const struct text_style *style, FILE *out);
int side_json_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out);
void side_csv_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out);

/* Inside `report`: calls `put` for each row that is shown, in order.  *left_out is the number of
 * other rows. */
typedef void side_put_row(void *context, const struct side_row *row);
void side_each_row(const struct side_by_side *sides, const struct side_view *view,
                   uint64_t fallback_top, side_put_row *put, void *context);
/* Returns whether every metric has less than `share` of its whole. */
bool side_is_small(const struct side_by_side *sides, const struct side_value *values, double share);
