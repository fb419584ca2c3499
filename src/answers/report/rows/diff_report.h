/* diff_report.h - writes the change between two recordings as text, JSON or CSV.  The text has both
 * totals, then new, gone, grown and shrunk call sites, the biggest change first. */
#pragma once

#include "analyze/diff/diff.h"
#include "analyze/diff/diff_tree.h"
#include "report/text/text_style.h"

struct diff_view {
    const struct diff *diff;
    const char *before_name, *after_name; /* as the user called them */
    uint64_t top;                         /* rows; UINT64_MAX: all */
    uint64_t smallest;                    /* rows with a smaller change are left out */
    uint64_t depth;                       /* text: frames under a row, at least 1 */
    /* how both sides were sampled, and the factor of the older side; NULL: not sampled and no
     * factor */
    const struct diff_noise *noise;
};

/* Return 0 or -ENOMEM.  Write errors stay in `out`, which the caller must check. */
int diff_text_write(const struct diff_view *view, const struct text_style *style, FILE *out);
int diff_json_write(const struct diff_view *view, FILE *out);
int diff_csv_write(const struct diff_view *view, FILE *out);

/* Writes folded stacks with two columns, before and after, for all stacks that either recording
 * has; negative values are written as 0.  Returns 0 or -ENOMEM. */
int diff_folded_write(const struct recording *recording, const struct diff_tree *tree, FILE *out);

/* Returns how much of the change of a row may be an effect of sampling; 0 if the change is
 * exact. */
int64_t diff_row_error(const struct diff_view *view, const struct diff_row *row);
/* Returns whether the whole change of a row may be an effect of sampling. */
bool diff_row_is_chance(const struct diff_view *view, const struct diff_row *row);

/* Writes a note about the compared times, for example that both are equal.  Returns false if there
 * is nothing to say. */
#define DIFF_NOTE_MAX 160
bool diff_view_note(const struct diff_view *view, char note[DIFF_NOTE_MAX]);

/* Returns the number of rows that are shown, after `smallest` and `top`; they are the first
 * rows. */
size_t diff_view_rows(const struct diff_view *view);
/* Returns the frames of a row, innermost first; the caller frees.  NULL when out of memory. */
struct shown_frame *diff_row_frames(const struct diff *diff, const struct diff_row *row,
                                    size_t *count);
