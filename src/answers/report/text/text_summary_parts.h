/* text_summary_parts.h - inside the beginning of a text report: text_summary.c writes what the
 * program did, and text_quality.c how reliable that is. */
#pragma once

#include "report/text/text_line.h"
#include "report/text/text_report.h"
#include "report/text/text_style.h"

struct text_page {
    const struct report *report;
    const struct text_style *style;
    FILE *out;
};

/* Writes a label and a paragraph. */
void text_put(const struct text_page *page, enum ink ink, const char *label,
              const struct text_line *line);

/* Writes the cost of recording, what is missing or in doubt, and the notes of the recorder. */
void text_quality_write(const struct text_page *page);
