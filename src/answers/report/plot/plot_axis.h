/* plot_axis.h - round numbers along an axis: the positions of ticks, and their labels. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define AXIS_LABEL_MAX 32

/* Returns the distance between ticks, at least 1, so that about `wanted` ticks are needed to reach
 * `top`. */
uint64_t axis_step(uint64_t top, const char *unit, unsigned wanted);

/* Returns the end of the axis: `top` rounded up to whole steps, at least one step.  Never above
 * UINT64_MAX. */
uint64_t axis_end(uint64_t top, uint64_t step);

/* Moves to the next tick.  Returns false if the number would overflow, which happens with times of
 * a damaged file. */
static inline bool axis_next(uint64_t *tick, uint64_t step)
{
    return !__builtin_add_overflow(*tick, step, tick);
}

/* Renders the label of a tick: "1.5 GiB", "250 ms", "1 h 30 min", "2,000".  Labels are exact,
 * because ticks are round in their unit.  Returns `out`. */
const char *axis_label(uint64_t value, uint64_t step, const char *unit, char out[AXIS_LABEL_MAX]);
