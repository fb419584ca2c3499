/* diff_report.h - what changed between two recordings, as text, JSON or CSV.  Text shows new, gone,
 * grown and shrunk call sites, biggest change first, after both totals. */
#pragma once

#include "analyze/diff/diff.h"
#include "analyze/diff/diff_tree.h"
#include "report/text/text_style.h"

struct diff_view {
    const struct diff *diff;
    const char *before_name, *after_name; /* as the user called them */
    uint64_t top;                         /* rows; UINT64_MAX: all */
    uint64_t smallest;                    /* rows that changed less are left out */
    uint64_t depth;                       /* text: frames under a row, at least 1 */
    /* how the sides were sampled, and what the older was multiplied by; NULL: neither */
    const struct diff_noise *noise;
};

/* Returns 0 or -ENOMEM.  Write errors stay in `out` for its owner to find. */
int diff_text_write(const struct diff_view *view, const struct text_style *style, FILE *out);
int diff_json_write(const struct diff_view *view, FILE *out);
int diff_csv_write(const struct diff_view *view, FILE *out);

/* Folded stacks with two columns, before and after, of all stacks that either has; below zero is 0.
 * Returns 0 or -ENOMEM. */
int diff_folded_write(const struct recording *recording, const struct diff_tree *tree, FILE *out);

/* Returns how much of the change of a row may be the chance of sampling; 0 when exact. */
int64_t diff_row_error(const struct diff_view *view, const struct diff_row *row);
/* Returns whether all of it may be. */
bool diff_row_is_chance(const struct diff_view *view, const struct diff_row *row);

/* What to mind about the times compared, such as that they are one; false when nothing. */
#define DIFF_NOTE_MAX 160
bool diff_view_note(const struct diff_view *view, char note[DIFF_NOTE_MAX]);

/* Rows that pass `smallest` and `top`; they are the first so many. */
size_t diff_view_rows(const struct diff_view *view);
/* Returns the frames of a row, innermost first; the caller frees.  NULL when out of memory. */
struct shown_frame *diff_row_frames(const struct diff *diff, const struct diff_row *row,
                                    size_t *count);
