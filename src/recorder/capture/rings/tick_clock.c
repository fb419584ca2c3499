/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/tick_clock.h"

#include "base/clock.h"
#include "base/invariant.h"
#include "machine/processor.h"

#define FUTURE_MAX_NS 4e18 /* a hundred years; what fits, with the anchor added */

void tick_clock_start(struct tick_clock *clock)
{
    clock->first_tsc = clock->anchor_tsc = processor_ticks();
    clock->first_ns = clock->anchor_ns = monotonic_ns();
    clock->ns_per_tick = 0.4; /* a guess that holds until the second anchor */
}

uint64_t tick_clock_anchor(struct tick_clock *clock)
{
    clock->anchor_tsc = processor_ticks();
    clock->anchor_ns = monotonic_ns();
    INVARIANT(clock->anchor_ns >= clock->first_ns);
    uint64_t ticks = clock->anchor_tsc - clock->first_tsc;
    if (ticks > 1000)
        clock->ns_per_tick = (double)(clock->anchor_ns - clock->first_ns) / (double)ticks;
    return clock->anchor_tsc;
}

uint64_t tick_clock_ns(const struct tick_clock *clock, uint64_t tsc)
{
    INVARIANT(clock->ns_per_tick >= 0 && clock->anchor_ns >= clock->first_ns);
    double from_anchor = (double)(int64_t)(tsc - clock->anchor_tsc) * clock->ns_per_tick;
    if (from_anchor > FUTURE_MAX_NS) /* a stamp that was scribbled over */
        from_anchor = FUTURE_MAX_NS;
    if (from_anchor < -FUTURE_MAX_NS)
        return 0;
    int64_t ns = (int64_t)(clock->anchor_ns - clock->first_ns) + (int64_t)from_anchor;
    return ns > 0 ? (uint64_t)ns : 0;
}
