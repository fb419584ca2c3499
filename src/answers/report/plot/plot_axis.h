/* plot_axis.h - round numbers along an axis: where the ticks are and what stands beside them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define AXIS_LABEL_MAX 32

/* Returns the distance between ticks, at least 1, so that about `wanted` of them reach `top`. */
uint64_t axis_step(uint64_t top, const char *unit, unsigned wanted);

/* `top` rounded up to whole steps, at least one: where the axis ends.  Never past UINT64_MAX. */
uint64_t axis_end(uint64_t top, uint64_t step);

/* Goes on to the next tick; false when no number is so large, as with times of a damaged file. */
static inline bool axis_next(uint64_t *tick, uint64_t step)
{
    return !__builtin_add_overflow(*tick, step, tick);
}

/* "1.5 GiB", "250 ms", "1 h 30 min", "2,000": exact, because ticks are round in their unit. */
const char *axis_label(uint64_t value, uint64_t step, const char *unit, char out[AXIS_LABEL_MAX]);
