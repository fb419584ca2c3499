/* registry.h - the table of formats of other programs that memoir writes.
 *
 * To add one: a file formats/NAME.c with a write function, its prototype in
 * formats/shared/writers.h, and a row in registry.c.  docs/formats.md describes each format. */
#pragma once

#include <stdbool.h>

#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"
#include "formats/shared/output.h"
#include "model/losses.h"

#define EXPORT_NOTES_MAX  8
#define EXPORT_MAX_EVENTS UINT64_C(20000000)

/* Sentences about what the file cannot contain. */
struct export_notes {
    size_t count;
    char text[EXPORT_NOTES_MAX][LOSSES_TEXT_MAX];
};

struct export_job {
    struct recording *recording;
    const struct metric *metric; /* NULL: the metrics that the format always has */
    struct time_range range;
    const struct pattern *filter; /* only stacks with a frame that matches; NULL: all */
    /* hide addresses in the process; addresses in a file say nothing about the process */
    bool hides_addresses;
    bool leaves_out_peak; /* leave out the peak, for a range to which it does not apply */
    FILE *name_list; /* for perf: gets the names that the file cannot contain; NULL: not wanted */
    uint64_t max_events; /* for formats of single events; 0: no limit */
    size_t snapshots;    /* for massif: maximum number; 0: the default */
    /* for massif: sites with a smaller share are added up; 0: the default */
    double threshold_share;
    bool with_stacks;          /* for massif: also write the stacks of threads */
    struct export_notes notes; /* set by the writer */
    bool has_losses;           /* internal: the first note is about losses */
    bool time_noted;           /* internal */
    /* internal: whether a metric was asked for, and whether it had rows */
    bool has_weighed, has_rows;
};

struct export_format {
    const char *name, *suffix, *help;
    bool takes_metric, takes_range, takes_filter;
    bool always_gzip; /* otherwise the name of the file decides */
    /* Writes the whole file; the caller calls output_finish.  Returns 0 or -errno with a
     * sentence. */
    int (*write)(struct export_job *job, struct output *out, struct fault *fault);
};

extern const struct export_format export_formats[];               /* ends with a NULL name */
const struct export_format *export_format_find(const char *name); /* NULL if there is none */

/* Returns a sentence about an option that the format does not support; NULL if it supports all of
 * these. */
const char *export_refusal(const struct export_format *format, bool has_metric, bool has_range,
                           bool has_filter);
/* Returns whether the caller must choose a metric: the format has only one number per stack, or is
 * always about the heap, and `recording` has none. */
bool export_needs_metric(const struct export_format *format, const struct recording *recording);

/* Returns what the exported file must say about losses and estimates, if its format has a place for
 * that; empty: nothing. */
const char *export_losses(const struct export_job *job);

/* Writes a file in this format; the first note is about losses, if there were any.  Returns
 * -ENODATA with a sentence if there is nothing to write; else the result of the write function. */
int export_write(const struct export_format *format, struct export_job *job, struct output *out,
                 struct fault *fault);

/* Makes the weights of a metric over the time of the job, without the stacks that the filter
 * removes.  Adds a note if the time is not exactly the requested one. */
int export_weigh(struct export_job *job, const struct metric *metric, struct weights *weights,
                 struct fault *fault);

void export_note(struct export_job *job, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
