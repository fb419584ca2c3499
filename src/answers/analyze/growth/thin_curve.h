/* thin_curve.h - fewer points of a curve that still look like it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct curve_point {
    double x, y;
};

/* Sets keep[i] for `most` (at least 2) of `count` points or fewer, always the first and the
 * last: the rest is cut into stretches of equally many points, and of each the one is kept that
 * makes the largest triangle with the one kept before and the middle of the next stretch.  So
 * spikes and valleys stay. */
void thin_curve(const struct curve_point *points, size_t count, size_t most, bool *keep);
