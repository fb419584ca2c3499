/* diff_report.h - what changed between two recordings, as text, JSON or CSV.  Text shows new, gone,
 * grown and shrunk call sites, biggest change first, after both totals. */
#pragma once

#include "analyze/diff.h"
#include "report/text_style.h"

struct diff_view {
    const struct diff *diff;
    const char *before_name, *after_name; /* as the user called them */
    uint64_t top;                         /* rows; UINT64_MAX: all */
    uint64_t smallest;                    /* rows that changed less are left out */
    uint64_t depth;                       /* text: frames under a row, at least 1 */
};

/* 0 or -ENOMEM.  Write errors stay in `out` for its owner to find. */
int diff_text_write(const struct diff_view *view, const struct text_style *style, FILE *out);
int diff_json_write(const struct diff_view *view, FILE *out);
int diff_csv_write(const struct diff_view *view, FILE *out);

/* Rows that pass `smallest` and `top`; they are the first so many. */
size_t diff_view_rows(const struct diff_view *view);
/* The frames of a row, innermost first; the caller frees.  NULL when out of memory. */
struct shown_frame *diff_row_frames(const struct diff *diff, const struct diff_row *row,
                                    size_t *count);
