/* clock.h - what time it is, in nanoseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* For differences; the kernel's own events have it too. */
static inline uint64_t monotonic_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/* Since 1970-01-01 UTC, as recordings tell it. */
static inline uint64_t unix_ns(void)
{
    return clock_ns(CLOCK_REALTIME);
}
