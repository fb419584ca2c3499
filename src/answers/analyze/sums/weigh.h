/* weigh.h - weights: one number per call stack, a metric over a stretch of time.  Every report,
 * flame graph, diff and export begins with weights. */
#pragma once

#include "model/recording.h"

/* Times in ns since the recording began.  Both ends are extended outward to bucket boundaries,
 * except for metrics with moments (cpu.on, cpu.off): moments have their exact time. */
struct time_range {
    uint64_t from_ns; /* 0: from the beginning. */
    uint64_t to_ns;   /* UINT64_MAX: to the end. */
};
#define TIME_ALL ((struct time_range){0, UINT64_MAX})

struct weight {
    uint32_t key; /* stack_id; thread index from weigh_threads. */
    int64_t value;
    int64_t count;
    int64_t spread; /* Variance of the value because blocks were sampled: model/sampling.h. */
};

struct weights {
    VEC(struct weight) rows; /* Sorted by key; rows with value 0 and count 0 are omitted. */
    int64_t total_value, total_count, total_spread;
    struct time_range used; /* The range that was really summed. */
    const struct metric *metric;
    /* Removed from heap.leaked by suppressions_leave_out. */
    int64_t suppressed_value, suppressed_count;
};

/* Sums `metric` per stack over `range`.  A counter: what happened in the range.  A level: the
 * value at range.to_ns, or its change over the range when range.from_ns > 0.  heap.peak and
 * pool.peak: the pinned peak, for any range; an error with a sentence when the range ends
 * before the peak. Returns 0 or -errno with `fault`. */
int weigh_stacks(struct recording *recording, const struct metric *metric, struct time_range range,
                 struct weights *weights, struct fault *fault);
/* Like weigh_stacks, one number per thread. */
int weigh_threads(struct recording *recording, const struct metric *metric, struct time_range range,
                  struct weights *weights, struct fault *fault);
void weights_fini(struct weights *weights);
