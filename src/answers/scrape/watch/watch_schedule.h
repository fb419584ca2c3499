/* watch_schedule.h - the times of snapshots: start + k * period, however long the last snapshot
 * took.  Pure functions: the caller has the clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX

struct watch_schedule {
    uint64_t start_ns, period_ns, end_ns;
    uint64_t next_ns; /* time of the next tick; SCHEDULE_NEVER: there is none */
    uint64_t ticks;   /* number of ticks taken */
    /* number of ticks whose time passed unused: the machine slept, or the process was stopped */
    uint64_t dropped;
};

/* The first tick is at `start_ns`.  With a period of 0 it is the only one.  No tick is later than
 * `end_ns`. */
void watch_schedule_init(struct watch_schedule *schedule, uint64_t start_ns, uint64_t period_ns,
                         uint64_t end_ns);
/* Returns whether a tick is due, and takes it.  Ticks between it and `now_ns` are dropped, and the
 * next one is at a multiple of the period again. */
bool watch_schedule_tick(struct watch_schedule *schedule, uint64_t now_ns);

/* Returns the stamp of a snapshot at `now_us` (Unix time): whole seconds unless `with_fraction`;
 * always later than `last_us`, also after the clock was put back. */
int64_t watch_stamp_after(int64_t last_us, int64_t now_us, bool with_fraction);
