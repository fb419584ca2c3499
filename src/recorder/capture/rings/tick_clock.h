/* tick_clock.h - converts the processor's time stamps to ns since a start.
 *
 * The recorder anchors the clock again in every round, so that errors do not add up over weeks. */
#pragma once

#include <stdint.h>

struct tick_clock {
    uint64_t first_tsc, first_ns; /* On the monotonic clock. */
    uint64_t anchor_tsc, anchor_ns;
    double ns_per_tick;
};

void tick_clock_start(struct tick_clock *clock);
/* Anchors the clock to this instant and returns the time stamp of the instant. */
uint64_t tick_clock_anchor(struct tick_clock *clock);
/* Returns ns since the start; 0 for stamps from before the start. */
uint64_t tick_clock_ns(const struct tick_clock *clock, uint64_t tsc);
