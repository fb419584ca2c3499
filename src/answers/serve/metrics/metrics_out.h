/* metrics_out.h - writes numbers in the text formats of Prometheus: 0.0.4, or OpenMetrics 1.0.
 *
 *     metrics_init(&out, file, METRICS_TEXT);
 *     metrics_family(&out, "memoir_heap_live_bytes", "gauge", "bytes", "Heap that is allocated.");
 *     metrics_uint(&out, NULL, 0, 4096);
 *     int err = metrics_finish(&out);
 *
 * The values of labels may be any bytes: bytes that are not UTF-8 are written as U+FFFD, and the
 * rest is escaped. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum metrics_format { METRICS_TEXT, METRICS_OPEN };
#define METRICS_FORMATS 2
const char *metrics_content_type(enum metrics_format format);

struct metrics_out {
    FILE *file;
    enum metrics_format format;
    const char *name; /* of the current family */
};

struct metrics_label {
    const char *name, *value;
};

void metrics_init(struct metrics_out *out, FILE *file, enum metrics_format format);

/* Begins a family.  The name must end with the unit, if there is one, and with _total for a
 * counter.  `type` is gauge or counter; `unit` is "bytes", "seconds", "ratio" or "". */
void metrics_family(struct metrics_out *out, const char *name, const char *type, const char *unit,
                    const char *help);

/* Write one number of the family.  The caller must not write two numbers with equal labels. */
void metrics_uint(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                  uint64_t value);
void metrics_int(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                 int64_t value);
void metrics_real(struct metrics_out *out, const struct metrics_label *labels, size_t count,
                  double value);

/* Returns 0 or -EIO when something could not be written. */
int metrics_finish(struct metrics_out *out);
