/* pprof_samples.h - writes a profile.proto from samples that each have a stack, a thread and some
 * numbers, such as profiles of time and of threads.  It is for samples taken now; registry.h
 * exports recordings. */
#pragma once

#include "base/vec.h"
#include "formats/shared/output.h"
#include "model/recording.h"

#define PPROF_COLUMNS_MOST 2
#define THREAD_NONE        UINT32_MAX

struct pprof_row {
    stack_id stack;
    uint32_t thread; /* index into threads, or THREAD_NONE; the name becomes the label `thread` */
    int64_t values[PPROF_COLUMNS_MOST];
};

struct pprof_column {
    const char *type, *unit;
};

struct pprof_samples {
    struct recording *recording; /* its notes become comments of the profile */
    struct pprof_column columns[PPROF_COLUMNS_MOST];
    size_t column_count;
    struct pprof_column period_type;
    uint64_t period;
    uint64_t duration_ns; /* 0: the profile is of an instant */
    bool hides_addresses; /* hides addresses of the process */
    VEC(struct pprof_row) samples;
};

/* Sorts the samples, and adds up samples with equal stack and equal name of the thread. */
void pprof_samples_merge(struct pprof_samples *samples);

/* Merges the samples and writes the profile.  Returns 0 or -ENOMEM with a sentence. */
int pprof_samples_write(struct pprof_samples *samples, struct output *out, struct fault *fault);
