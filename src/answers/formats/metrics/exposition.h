/* exposition.h - the metrics a program shows of itself: Prometheus text 0.0.4 and OpenMetrics 1.0.
 *
 * One reader per target: it keeps every series it has met, and the lines of the answer before.
 * Between two answers of a program little changes but the numbers, so a line is first compared
 * with the one that stood there last time, and only its number is read.  A line that makes no
 * sense costs itself and is counted; the rest of the answer is read.  Any input; one thread at a
 * time. */
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
const char *exposition_type_name(enum exposition_type type); /* as OpenMetrics spells it */

struct exposition_value {
    double real;    /* always */
    uint64_t whole; /* exact, when it was written so */
    bool is_whole;
};
/* `to` - `from`, exact for whole numbers as far as a double is. */
double exposition_difference(struct exposition_value from, struct exposition_value to);

struct exposition_label {
    const char *name, *value; /* without escapes */
};

struct exposition_series {
    const char *name; /* of the sample: "http_seconds_bucket" */
    /* by name, each once; none with an empty value: that is no label */
    const struct exposition_label *labels;
    uint32_t label_count;
    uint32_t family;    /* see exposition_family */
    bool is_cumulative; /* counts up from the start of the program: by its type, not by its name */
    struct slice identity; /* equal for equal name and labels, in any order of the labels */
};
/* Returns the value of a label, or NULL. */
const char *exposition_label_of(const struct exposition_series *series, const char *name);

struct exposition_family {
    const char *name;
    enum exposition_type type;
    const char *help, *unit; /* NULL: not told */
};

struct exposition_tally { /* of all that was read */
    uint64_t answers, lines, samples;
    uint64_t bad_lines;       /* and which was the first: */
    uint64_t first_bad_line;  /* from 1, in its answer */
    char first_bad_text[100]; /* clean, cut */
    uint64_t repeated;        /* a series twice in an answer; the last one counts */
    uint64_t carriage_returns;
    uint64_t left_out; /* lines of series past EXPOSITION_SERIES_MAX */
};

#define EXPOSITION_SERIES_MAX (1u << 20)
#define EXPOSITION_LABELS_MAX 64u

struct exposition;
struct exposition *exposition_create(void); /* NULL: out of memory */
void exposition_destroy(struct exposition *exposition);

/* Returns where the next answer is to be put: `size` bytes.  NULL: out of memory.  The same room is
 * given out again after two answers. */
char *exposition_room(struct exposition *exposition, size_t size);

struct exposition_sample {
    uint32_t series;
    struct exposition_value value;
    bool has_time;
    int64_t time_us; /* Unix time */
};
typedef void (*exposition_fn)(void *context, const struct exposition_sample *sample);

enum exposition_dialect {
    /* OpenMetrics when "# EOF" ends it: what is left when the content type is not known */
    EXPOSITION_BY_END,
    EXPOSITION_TEXT,
    EXPOSITION_OPENMETRICS
};
/* Reads the answer of `size` bytes that was put into the room.  0; -ENOMEM; or, for OpenMetrics,
 * -EBADMSG when a line of it was bad or its end is missing: a strict caller drops such an
 * answer; its samples were passed to `handle` already. */
int exposition_read(struct exposition *exposition, size_t size, enum exposition_dialect dialect,
                    exposition_fn handle, void *context);

uint32_t exposition_series_count(const struct exposition *exposition);
const struct exposition_series *exposition_series(const struct exposition *exposition,
                                                  uint32_t series);
uint32_t exposition_family_count(const struct exposition *exposition);
const struct exposition_family *exposition_family(const struct exposition *exposition,
                                                  uint32_t family);
const struct exposition_tally *exposition_tally(const struct exposition *exposition);
