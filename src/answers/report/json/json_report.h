/* json_report.h - writes the answers of `memoir report` and `memoir info` as JSON.  docs/json.md is
 * the contract: fields are added, never renamed or removed. */
#pragma once

#include "base/json_out.h"
#include "report/rows/report.h"

/* Returns 0, -ENOMEM, or -EIO. */
int json_report_write(struct report *report, FILE *out);

/* Writes one frame of a stack as an object. */
void json_frame_write(struct json_out *json, const struct recording *recording,
                      const struct shown_frame *frame);

/* Parts that `memoir info` has, too.  Each writes one key, with its value, to the open object. */
void json_recording_write(struct json_out *json, const struct recording *recording);
void json_quality_write(struct json_out *json, const struct recording *recording,
                        const struct findings *findings);
void json_cost_write(struct json_out *json, const struct recording *recording);
/* Writes null if the process started with its recording. */
void json_before_write(struct json_out *json, const struct recording *recording);

/* Writes a number; null if it is negative, which means not measured. */
void json_measured_field(struct json_out *json, const char *key, int64_t value);

/* Writes the metric and the time that were weighed: "metric", "unit" and "range". */
void json_weighed_write(struct json_out *json, const struct weights *weights);
/* Writes a key with a value and its count. */
void json_sum_write(struct json_out *json, const char *key, int64_t value, int64_t count);
