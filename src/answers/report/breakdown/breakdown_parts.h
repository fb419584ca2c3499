/* breakdown_parts.h - what the text, JSON and CSV of a breakdown share, and the second half of the
 * text. */
#pragma once

#include <stdio.h>

#include "base/json_out.h"
#include "model/memory/breakdown.h"
#include "report/breakdown/breakdown_report.h"

/* Returns the title of a section: "Go Runtime", "Named Memory Regions (mmap)", ... */
const char *breakdown_section_title(const struct breakdown *breakdown,
                                    enum breakdown_section section);

/* Adds to *sum the bytes of leaf `first` and of the leaves after it that have its section and
 * label.  Returns the index of the leaf after them. */
size_t breakdown_label_end(const struct breakdown *breakdown, size_t first,
                           struct memory_bytes *sum);

/* Returns `bytes` in the unit of the view, rounded down. */
uint64_t breakdown_in_unit(const struct breakdown_view *view, uint64_t bytes);
const char *breakdown_unit_name(const struct breakdown_view *view); /* "MB", "kB", ... */

void breakdown_insides_write(const struct breakdown *breakdown, FILE *out);
void breakdown_cgroup_write(const struct breakdown *breakdown, FILE *out);
void breakdown_regions_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                             FILE *out);

/* Write fields of the JSON object that is open: "bytes" with the sizes that are known; "total";
 * "process", "capture" and "status"; "sections" and "leaves"; an address as text; "notes". */
void breakdown_json_bytes(struct json_out *json, const struct breakdown *breakdown,
                          const struct memory_bytes *bytes);
void breakdown_json_total(struct json_out *json, const struct breakdown *breakdown);
void breakdown_json_process(struct json_out *json, const struct breakdown *breakdown);
void breakdown_json_sections(struct json_out *json, const struct breakdown *breakdown);
void breakdown_json_address(struct json_out *json, const char *key, uint64_t address);
void breakdown_json_notes(struct json_out *json, const struct breakdown *breakdown);
