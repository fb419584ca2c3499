/* tick_clock.h - the processor's time stamp as ns since a beginning.
 *
 * Anchored anew at every round of the recorder, so that errors do not add up over weeks. */
#pragma once

#include <stdint.h>

struct tick_clock {
    uint64_t first_tsc, first_ns; /* monotonic */
    uint64_t anchor_tsc, anchor_ns;
    double ns_per_tick;
};

void tick_clock_start(struct tick_clock *clock);
/* Anchors it to this instant and returns its time stamp. */
uint64_t tick_clock_anchor(struct tick_clock *clock);
/* ns since the start; 0 for stamps from before it. */
uint64_t tick_clock_ns(const struct tick_clock *clock, uint64_t tsc);
