/* json_report.h - the answers of `memoir report` and `memoir info` as JSON.  docs/json.md is the
 * contract: fields are added, never renamed or removed. */
#pragma once

#include "base/json_out.h"
#include "report/rows/report.h"

/* Returns 0, -ENOMEM, or -EIO. */
int json_report_write(struct report *report, FILE *out);

/* One frame of a stack, as an object. */
void json_frame_write(struct json_out *json, const struct recording *recording,
                      const struct shown_frame *frame);

/* Parts that `memoir info` has too; each writes one key of the object at hand with its value. */
void json_recording_write(struct json_out *json, const struct recording *recording);
void json_quality_write(struct json_out *json, const struct recording *recording,
                        const struct findings *findings);
void json_cost_write(struct json_out *json, const struct recording *recording);
/* null unless the process ran already when its recording began. */
void json_before_write(struct json_out *json, const struct recording *recording);

/* A number that is below zero when it was not measured: then null. */
void json_measured_field(struct json_out *json, const char *key, int64_t value);

/* Which metric was weighed over which time: "metric", "unit" and "range". */
void json_weighed_write(struct json_out *json, const struct weights *weights);
/* A value and how many it is made of, under a key. */
void json_sum_write(struct json_out *json, const char *key, int64_t value, int64_t count);
