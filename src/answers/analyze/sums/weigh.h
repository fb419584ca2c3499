/* weigh.h - one number per call stack: a metric over a stretch of time.  The ground of every
 * report, flame graph, diff and export. */
#pragma once

#include "model/recording.h"

/* Times in ns since the recording began.  Both snap outward to bucket boundaries, but for metrics whose buckets there have
 * moments, which know their time: cpu.on, cpu.off. */
struct time_range {
    uint64_t from_ns; /* 0: from the beginning */
    uint64_t to_ns;   /* UINT64_MAX: to the end */
};
#define TIME_ALL ((struct time_range){0, UINT64_MAX})

struct weight {
    uint32_t key; /* stack_id, or thread index for weigh_threads */
    int64_t value;
    int64_t count;
    int64_t
        spread; /* how uncertain the value is because blocks were sampled: see model/sampling.h */
};

struct weights {
    VEC(struct weight) rows; /* ordered by key; rows that are zero in value and count left out */
    int64_t total_value, total_count, total_spread;
    struct time_range used; /* after snapping */
    const struct metric *metric;
    int64_t suppressed_value,
        suppressed_count; /* taken out of heap.leaked: see suppressions_leave_out */
};

/* Sums `metric` per stack over `range`.  Rules: a counter adds what happened in the range; a level
 * is its value at range.to_ns (from the beginning), or its change when range.from_ns > 0; heap.peak
 * (and pool.peak) is the pinned peak and ignores the range unless the range ends before the peak, when it is an
 * error with a sentence.  0 or -errno with `fault`. */
int weigh_stacks(struct recording *recording, const struct metric *metric, struct time_range range,
                 struct weights *weights, struct fault *fault);
int weigh_threads(struct recording *recording, const struct metric *metric, struct time_range range,
                  struct weights *weights, struct fault *fault);
void weights_fini(struct weights *weights);
