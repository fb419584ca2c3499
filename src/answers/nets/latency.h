/* latency.h - how long things took, in fixed memory: percentiles that are at most one part in 64
 * too high, and an exact maximum. */
#pragma once

#include <stdint.h>

#define LATENCY_SLOTS (64 * 32)

struct latency {
    uint64_t counts[LATENCY_SLOTS];
    uint64_t count, max_us;
};

void latency_add(struct latency *latency, uint64_t us);
/* Returns the time within which this share (0.5, 0.99, 1) of all was done; 0 when there was
 * none. */
uint64_t latency_percentile(const struct latency *latency, double share);
