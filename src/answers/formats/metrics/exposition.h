/* exposition.h - reads the metrics that a program publishes: Prometheus text 0.0.4 and OpenMetrics
 * 1.0.
 *
 * There is one reader per target, which keeps every series that it has seen, and the lines of the
 * last answer.  Between two answers mostly the numbers change.  So a line is first compared with
 * the line at that position of the last answer; if they are equal up to the number, only the number
 * is parsed.  A line that is not understood is counted, and the rest of the answer is read.  Any
 * input is safe.  Only one thread at a time may use a reader. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"

enum exposition_type {
    EXPOSITION_UNKNOWN, /* untyped */
    EXPOSITION_COUNTER,
    EXPOSITION_GAUGE,
    EXPOSITION_HISTOGRAM,
    EXPOSITION_SUMMARY,
    EXPOSITION_GAUGE_HISTOGRAM,
    EXPOSITION_INFO,
    EXPOSITION_STATE_SET,
    EXPOSITION_TYPES
};
const char *exposition_type_name(enum exposition_type type); /* in the spelling of OpenMetrics */

struct exposition_value {
    double real;    /* always set */
    uint64_t whole; /* exact value, if `is_whole` */
    bool is_whole;
};
/* Returns `to` - `from`; exact for whole numbers, as far as a double is. */
double exposition_difference(struct exposition_value from, struct exposition_value to);

struct exposition_label {
    const char *name, *value; /* escapes are decoded */
};

struct exposition_series {
    const char *name; /* of the sample: "http_seconds_bucket" */
    /* sorted by name, each once; a label with an empty value counts as missing */
    const struct exposition_label *labels;
    uint32_t label_count;
    uint32_t family; /* index for exposition_family */
    /* counts up from the start of the program; depends on its type, not on its name */
    bool is_cumulative;
    struct slice identity; /* equal for equal names and labels, whatever the order of labels */
};
/* Returns the value of a label, or NULL. */
const char *exposition_label_of(const struct exposition_series *series, const char *name);

struct exposition_family {
    const char *name;
    enum exposition_type type;
    const char *help, *unit; /* NULL: not given */
};

struct exposition_tally { /* counts over all answers */
    uint64_t answers, lines, samples;
    uint64_t bad_lines;       /* bad lines; the first one is: */
    uint64_t first_bad_line;  /* line number in its answer, from 1 */
    char first_bad_text[100]; /* without unsafe characters, cut */
    uint64_t repeated;        /* series that were twice in an answer; the last value is used */
    uint64_t carriage_returns;
    uint64_t left_out; /* lines of series beyond EXPOSITION_SERIES_MAX */
};

#define EXPOSITION_SERIES_MAX (1u << 20)
#define EXPOSITION_LABELS_MAX 64u

struct exposition;
struct exposition *exposition_create(void); /* NULL: out of memory */
void exposition_destroy(struct exposition *exposition);

/* Returns the buffer for the next answer, which has `size` bytes.  NULL when out of memory.  A
 * buffer is reused after two answers. */
char *exposition_room(struct exposition *exposition, size_t size);

struct exposition_sample {
    uint32_t series;
    struct exposition_value value;
    bool has_time;
    int64_t time_us; /* Unix time */
};
typedef void (*exposition_fn)(void *context, const struct exposition_sample *sample);

enum exposition_dialect {
    /* OpenMetrics if "# EOF" ends the answer; for an unknown content type */
    EXPOSITION_BY_END,
    EXPOSITION_TEXT,
    EXPOSITION_OPENMETRICS
};
/* Reads the answer of `size` bytes in the buffer.  Returns 0 or -ENOMEM; for OpenMetrics also
 * -EBADMSG, if a line was bad or the end is missing.  A strict caller drops such an answer, but
 * `handle` was called with its samples already. */
int exposition_read(struct exposition *exposition, size_t size, enum exposition_dialect dialect,
                    exposition_fn handle, void *context);

uint32_t exposition_series_count(const struct exposition *exposition);
const struct exposition_series *exposition_series(const struct exposition *exposition,
                                                  uint32_t series);
uint32_t exposition_family_count(const struct exposition *exposition);
const struct exposition_family *exposition_family(const struct exposition *exposition,
                                                  uint32_t family);
const struct exposition_tally *exposition_tally(const struct exposition *exposition);
