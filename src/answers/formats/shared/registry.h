/* registry.h - the formats of other programs that memoir writes, in one table.
 *
 * To add one: a file formats/NAME.c with a write function, its prototype in
 * formats/shared/writers.h, and a row in registry.c.  docs/formats.md says what each one holds. */
#pragma once

#include <stdbool.h>

#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"
#include "formats/shared/output.h"
#include "model/losses.h"

#define EXPORT_NOTES_MAX  8
#define EXPORT_MAX_EVENTS UINT64_C(20000000)

/* Sentences for people about what the file could not hold. */
struct export_notes {
    size_t count;
    char text[EXPORT_NOTES_MAX][LOSSES_TEXT_MAX];
};

struct export_job {
    struct recording *recording;
    const struct metric *metric; /* NULL: what the format holds by nature */
    struct time_range range;
    const struct pattern *filter; /* only stacks it finds a frame in; NULL: all */
    bool hides_addresses;         /* of the process; those inside a file tell nothing about it */
    bool leaves_out_peak;         /* for a range in which the peak means nothing */
    FILE *name_list;            /* perf: takes names that the file cannot hold; NULL: not wanted */
    uint64_t max_events;        /* for formats made of single events; 0: no limit */
    size_t snapshots;           /* massif: at most so many; 0: the usual */
    double threshold_share;     /* massif: what is smaller is added up; 0: the usual */
    bool with_stacks;           /* massif: the stacks of threads too */
    struct export_notes notes;  /* filled by the writer */
    bool has_losses;            /* inside: the first note is about them */
    bool time_noted;            /* inside */
    bool has_weighed, has_rows; /* inside: whether anything was asked for, and was there */
};

struct export_format {
    const char *name, *suffix, *help;
    bool takes_metric, takes_range, takes_filter;
    bool always_gzip; /* else the name of the file decides */
    /* Writes all of it; the caller finishes `out`.  Returns 0 or -errno with a sentence. */
    int (*write)(struct export_job *job, struct output *out, struct fault *fault);
};

extern const struct export_format export_formats[];               /* ends with a NULL name */
const struct export_format *export_format_find(const char *name); /* NULL when there is none */

/* Why a format cannot be narrowed like that, in a sentence that calls things by their options;
 * NULL when it can. */
const char *export_refusal(const struct export_format *format, bool has_metric, bool has_range,
                           bool has_filter);
/* Returns whether the caller must choose a metric when none was given: the format has one number
 * only, or is by nature about the heap, and `recording` has none. */
bool export_needs_metric(const struct export_format *format, const struct recording *recording);

/* Returns what a file made of this job is to say about losses and estimates, where its format has a
 * place for it; empty: nothing. */
const char *export_losses(const struct export_job *job);

/* Has the format write all of it; the first note is about losses, if there were any.  -ENODATA
 * with a sentence when there is nothing to write; else what its write function says. */
int export_write(const struct export_format *format, struct export_job *job, struct output *out,
                 struct fault *fault);

/* Weights of a metric over the job's time, without the stacks its filter leaves out.  Notes the
 * time really used when it is not the time asked for. */
int export_weigh(struct export_job *job, const struct metric *metric, struct weights *weights,
                 struct fault *fault);

void export_note(struct export_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
