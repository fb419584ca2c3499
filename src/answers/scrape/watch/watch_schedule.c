/* SPDX-License-Identifier: Apache-2.0 */
#include "scrape/watch/watch_schedule.h"

#define SECOND_US 1000000

void watch_schedule_init(struct watch_schedule *schedule, uint64_t start_ns, uint64_t period_ns,
                         uint64_t end_ns)
{
    *schedule = (struct watch_schedule){.start_ns = start_ns,
                                        .period_ns = period_ns,
                                        .end_ns = end_ns,
                                        .next_ns = start_ns <= end_ns ? start_ns : SCHEDULE_NEVER};
}

bool watch_schedule_tick(struct watch_schedule *schedule, uint64_t now_ns)
{
    if (schedule->next_ns == SCHEDULE_NEVER || now_ns < schedule->next_ns)
        return false;
    schedule->ticks++;
    if (schedule->period_ns == 0) {
        schedule->next_ns = SCHEDULE_NEVER;
        return true;
    }
    uint64_t const last_ns = now_ns < schedule->end_ns ? now_ns : schedule->end_ns;
    uint64_t const missed = (last_ns - schedule->next_ns) / schedule->period_ns;
    schedule->dropped += missed;
    uint64_t const next_ns = schedule->next_ns + (missed + 1) * schedule->period_ns;
    schedule->next_ns =
        next_ns <= schedule->end_ns && next_ns > schedule->next_ns ? next_ns : SCHEDULE_NEVER;
    return true;
}

int64_t watch_stamp_after(int64_t last_us, int64_t now_us, bool with_fraction)
{
    int64_t const unit = with_fraction ? 1 : SECOND_US;
    int64_t const stamp = now_us - now_us % unit;
    int64_t const least = last_us - last_us % unit + unit;

    return stamp >= least ? stamp : least;
}
