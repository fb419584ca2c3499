/* moment_sums.h - time by thread and stack together, from the moments of a recording.
 *
 * Cells have the cost of each stack and the cost of each thread.  Only moments say which thread was
 * in which stack. */
#pragma once

#include "analyze/sums/weigh.h"

struct moment_sum {
    uint32_t thread; /* Index into the threads of the recording. */
    stack_id stack;
    int64_t value, count;
};

struct moment_sums {
    VEC(struct moment_sum) rows; /* Sorted by thread, then by stack. */
    int64_t total_value, total_count;
    struct time_range used; /* The range that was really summed. */
    const struct metric *metric;
};

/* Sums the moments of `range`.  A bucket at the edge of the range is cut if all its moments have
 * their time; otherwise the whole bucket counts.  Returns 0; -ENODATA with a sentence when the
 * metric has no moments or the recording has no moments of the metric; or another -errno. */
int moment_sums_build(struct recording *recording, const struct metric *metric,
                      struct time_range range, struct moment_sums *sums, struct fault *fault);
void moment_sums_fini(struct moment_sums *sums);

enum thread_names {
    THREADS_APART,  /* "worker-3 (4711)": one root per thread. */
    THREADS_FOLDED, /* "worker-#": threads whose names differ only in digits share a root. */
};

/* Makes weights of the sums: adds stacks to `recording` that have the thread's name as outermost
 * frame.  Returns 0 or -ENOMEM. */
int moment_sums_root(struct recording *recording, const struct moment_sums *sums,
                     enum thread_names names, struct weights *weights);

#define THREAD_LABEL_MAX 128
/* Writes the name of a thread as moment_sums_root puts it into the outermost frame. */
void thread_label(const struct recording *recording, uint32_t thread, enum thread_names names,
                  char label[THREAD_LABEL_MAX]);
