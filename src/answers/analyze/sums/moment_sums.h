/* moment_sums.h - time by thread and stack together, from the moments of a recording.
 *
 * Cells say what each stack cost and what each thread cost; only moments say which thread was in which stack. */
#pragma once

#include "analyze/sums/weigh.h"

struct moment_sum {
    uint32_t thread; /* index into threads */
    stack_id stack;
    int64_t value, count;
};

struct moment_sums {
    VEC(struct moment_sum) rows; /* by thread, then by stack */
    int64_t total_value, total_count;
    struct time_range used;
    const struct metric *metric;
};

/* Sums the moments of `range`.  A bucket at its edge is cut where its moments have their time, and taken whole where
 * they have not.  0; -ENODATA with a sentence when the metric has no moments or the recording none of it; another
 * -errno. */
int moment_sums_build(struct recording *recording, const struct metric *metric,
                      struct time_range range, struct moment_sums *sums, struct fault *fault);
void moment_sums_fini(struct moment_sums *sums);

enum thread_names {
    THREADS_APART,  /* "worker-3 (4711)": a root for each */
    THREADS_FOLDED, /* "worker-#": those whose names differ in digits only are one */
};

/* The same as weights of stacks that are new in `recording`: each with its thread's name as outermost frame.
 * 0 or -ENOMEM. */
int moment_sums_root(struct recording *recording, const struct moment_sums *sums,
                     enum thread_names names, struct weights *weights);

#define THREAD_LABEL_MAX 128
/* The name of a thread as such a frame. */
void thread_label(const struct recording *recording, uint32_t thread, enum thread_names names,
                  char label[THREAD_LABEL_MAX]);
