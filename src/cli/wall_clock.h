/* wall_clock.h - what time it is, as recordings tell it. */
#pragma once

#include <stdint.h>
#include <time.h>

/* ns since 1970-01-01 UTC. */
static inline uint64_t wall_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
