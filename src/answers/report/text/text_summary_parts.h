/* text_summary_parts.h - the head of a text report from inside: text_summary.c for what the program
 * did, text_quality.c for how well that is known. */
#pragma once

#include "report/text/text_line.h"
#include "report/text/text_report.h"
#include "report/text/text_style.h"

struct text_page {
    const struct report *report;
    const struct text_style *style;
    FILE *out;
};

/* A paragraph behind a label. */
void text_put(const struct text_page *page, enum ink ink, const char *label,
              const struct text_line *line);

/* What recording cost, what is missing or in doubt, and what the recorder noted. */
void text_quality_write(const struct text_page *page);
