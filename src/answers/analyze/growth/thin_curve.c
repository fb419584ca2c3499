/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/thin_curve.h"

#include <math.h>

#include "base/invariant.h"

static struct curve_point middle_of(const struct curve_point *points, size_t from, size_t end)
{
    INVARIANT(from < end);
    struct curve_point sum = {0, 0};
    for (size_t i = from; i < end; i++) {
        sum.x += points[i].x;
        sum.y += points[i].y;
    }
    double const count = (double)(end - from);
    return (struct curve_point){sum.x / count, sum.y / count};
}

static double area(struct curve_point a, struct curve_point b, struct curve_point c)
{
    return fabs((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y));
}

/* Where stretch `index` of `stretches` begins among the points between the first and the last. */
static size_t stretch_begin(size_t index, size_t stretches, size_t count)
{
    return 1 + index * (count - 2) / stretches;
}

void thin_curve(const struct curve_point *points, size_t count, size_t most, bool *keep)
{
    for (size_t i = 0; i < count; i++)
        keep[i] = count <= most || i == 0 || i + 1 == count;
    if (count <= most || most < 3)
        return;
    size_t const stretches = most - 2;
    size_t before = 0;
    for (size_t i = 0; i < stretches; i++) {
        size_t const from = stretch_begin(i, stretches, count);
        size_t const end = stretch_begin(i + 1, stretches, count);
        size_t const next = i + 1 == stretches ? count : stretch_begin(i + 2, stretches, count);
        INVARIANT(from < end && end < count && end <= next && next <= count);
        struct curve_point const after = middle_of(points, end, next);
        size_t best = from;
        double best_area = -1;
        for (size_t at = from; at < end; at++) {
            double const its_area = area(points[before], points[at], after);
            if (its_area > best_area) {
                best_area = its_area;
                best = at;
            }
        }
        keep[best] = true;
        before = best;
    }
}
