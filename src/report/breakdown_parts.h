/* breakdown_parts.h - what the text, JSON and CSV of a breakdown share, and the lower half of its text. */
#pragma once

#include <stdio.h>

#include "model/breakdown.h"
#include "report/breakdown_report.h"

/* "Go Runtime", "Named Memory Regions (mmap)", ... */
const char *breakdown_section_title(const struct breakdown *breakdown,
                                    enum breakdown_section section);

/* The leaf after the last with the same section and label as leaf `first`; their sum. */
size_t breakdown_label_end(const struct breakdown *breakdown, size_t first,
                           struct memory_bytes *sum);

/* Cut down, as `MB` always was. */
uint64_t breakdown_in_unit(const struct breakdown_view *view, uint64_t bytes);
const char *breakdown_unit_name(const struct breakdown_view *view); /* "MB", "kB", ... */

void breakdown_insides_write(const struct breakdown *breakdown, FILE *out);
void breakdown_cgroup_write(const struct breakdown *breakdown, FILE *out);
void breakdown_regions_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                             FILE *out);
