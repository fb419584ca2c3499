/* explain_report.h - writes the answer of `memoir explain`: the resident size, split by owners. */
#pragma once

#include "analyze/memory/explain.h"
#include "analyze/growth/owners_curve.h"
#include "analyze/sites/rank.h"
#include "report/text/text_style.h"

struct explain_report {
    struct recording *recording;
    const struct explanation *explanation;
    uint64_t top; /* rows of each kind */
    uint64_t now_unix_ns;
    const struct owners_curve *curve; /* for JSON; NULL: not asked for */
};

/* Returns 0, -ENOMEM, or -EIO. */
int explain_text_write(const struct explain_report *report, const struct text_style *style,
                       FILE *out);
int explain_json_write(const struct explain_report *report, FILE *out);
int explain_csv_write(const struct explain_report *report, FILE *out);

/* Returns whether a row is shown; *shown is the number of rows shown before.  Pages without a stack
 * are always shown. */
bool explain_row_is_shown(const struct explain_report *report, const struct rank_row *row,
                          uint64_t *shown);

/* Renders an advice as a sentence. */
struct text_line;
void advice_render(struct recording *recording, const struct advice *advice,
                   struct text_line *line);
