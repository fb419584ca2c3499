/* text_report.h - writes a report for people: first where the memory went, then how reliable that
 * is. */
#pragma once

#include "report/rows/report.h"

/* Writes the whole report.  Returns 0 or -ENOMEM.  Write errors stay in `out`, which the caller
 * must check. */
int text_report_write(const struct report *report, const struct text_style *style, FILE *out);

/* The parts that text_report_write writes.  Each ends with a newline. */
void text_summary_write(const struct report *report, const struct text_style *style, FILE *out);
int text_tree_write(const struct report *report, const struct text_style *style, FILE *out);
int text_table_write(const struct report *report, const struct text_style *style, FILE *out);
void text_histogram_write(const struct report *report, const struct text_style *style, FILE *out);
void text_suppressions_write(const struct report *report, const struct text_style *style,
                             FILE *out);
