/* text_report.h - a report for a person: first where the memory went, then how sure that is. */
#pragma once

#include "report/rows/report.h"

/* Returns 0 or -ENOMEM.  Write errors stay in `out` for its owner to find. */
int text_report_write(const struct report *report, const struct text_style *style, FILE *out);

/* The parts, each with a final newline; text_report_write puts them together. */
void text_summary_write(const struct report *report, const struct text_style *style, FILE *out);
int text_tree_write(const struct report *report, const struct text_style *style, FILE *out);
int text_table_write(const struct report *report, const struct text_style *style, FILE *out);
void text_histogram_write(const struct report *report, const struct text_style *style, FILE *out);
void text_suppressions_write(const struct report *report, const struct text_style *style,
                             FILE *out);
