/* latency.h - a histogram of durations in fixed memory.  Percentiles are at most one part in 64 too
 * high; the maximum is exact. */
#pragma once

#include <stdint.h>

#define LATENCY_SLOTS (64 * 32)

struct latency {
    uint64_t counts[LATENCY_SLOTS];
    uint64_t count, max_us;
};

void latency_add(struct latency *latency, uint64_t us);
/* Returns the duration that this share (0.5, 0.99, 1) of all calls did not exceed; 0 if there were
 * none. */
uint64_t latency_percentile(const struct latency *latency, double share);
