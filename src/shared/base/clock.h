/* clock.h - the current time in nanoseconds, and units of time. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "wire/time_units.h"

static inline uint64_t timespec_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return timespec_ns(&now);
}

/* For measuring durations.  Timestamps of kernel events use the same clock. */
static inline uint64_t monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* Time since 1970-01-01 UTC, as stored in recordings. */
static inline uint64_t unix_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}
