/* pprof_sources.h - chooses the columns for a profile.proto of a recording. */
#pragma once

#include "formats/shared/registry.h"

#define PPROF_SOURCES_MAX (5 + OWN_METRICS_MAX)
#define PPROF_NAME_MAX    64

/* One metric and its columns: its count, if it has one, then its value. */
struct pprof_source {
    const struct metric *metric;
    char count_type[PPROF_NAME_MAX]; /* "": no column for the count */
    const char *value_type, *value_unit;
    struct weights weights;
};

struct pprof_sources {
    struct pprof_source items[PPROF_SOURCES_MAX];
    size_t count;
    struct time_range used;
    const char *shown_first; /* column to show first; NULL: the last one */
    /* the allocator's own frames are hidden, because they are not informative in any of the
     * metrics */
    bool hides_allocator;
    /* the metrics are everything in a foreign file, so its labels are written, too */
    bool is_whole;
};

/* Chooses all metrics of the recording; or the metric of the job, if that is not among them.
 * Returns 0 or -errno with a sentence; call pprof_sources_fini in both cases. */
int pprof_sources_choose(struct pprof_sources *sources, struct export_job *job,
                         struct fault *fault);
void pprof_sources_fini(struct pprof_sources *sources);

/* Writes the values of a sample, in the order of the columns.  Returns their number. */
size_t pprof_sources_values(const struct pprof_sources *sources, const struct weight *rows,
                            uint64_t *values);
