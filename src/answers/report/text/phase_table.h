/* phase_table.h - writes the rows of a report by phase: what each part of the run did, and how
 * fast. */
#pragma once

#include "base/json_out.h"
#include "report/rows/report.h"

/* Write a table for people; the key "rows" of the open object; CSV with a header line. */
void phase_text_write(const struct report *report, const struct text_style *style, FILE *out);
void phase_json_write(struct json_out *json, const struct report *report);
void phase_csv_write(const struct report *report, FILE *out);
