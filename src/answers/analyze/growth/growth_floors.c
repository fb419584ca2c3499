/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/growth_floors.h"

#include <math.h>
#include <stdlib.h>

#include "base/invariant.h"

#define POINTS_PER_FLOOR 3
/* Stretches twice as wide have at most this share of the noise if a saw has teeth as wide as
 * the stretches were. */
#define CALMER         0.5
#define DAY_S          86400.0
#define DAY_PARTS      24 /* a day was seen when points are in half of these */
#define DAY_PERCENTILE 20 /* one in so many lies below */
#define MARKS_LEAST    8

static double seconds(uint64_t ns)
{
    return (double)ns / 1e9;
}

static void fill(const struct growth_point *points, size_t count, size_t slots,
                 struct trend_series *floors)
{
    INVARIANT(count > 0 && slots > 0 && slots <= TREND_MAX);
    double const begin = seconds(points[0].time_ns);
    double const width = (seconds(points[count - 1].time_ns) - begin) / (double)slots;
    size_t last = SIZE_MAX;
    floors->count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t slot = (size_t)((seconds(points[i].time_ns) - begin) / width);
        slot = slot < slots ? slot : slots - 1;
        double const value = (double)points[i].value;
        if (floors->count == 0 || slot != last) {
            floors->times[floors->count] = begin + ((double)slot + 0.5) * width;
            floors->values[floors->count++] = value;
        } else if (value < floors->values[floors->count - 1]) {
            floors->values[floors->count - 1] = value;
        }
        last = slot;
        INVARIANT(floors->count <= slots);
    }
}

bool floors_make(const struct growth_point *points, size_t count, struct trend_series *floors)
{
    struct trend_series wider;
    floors->count = 0;
    if (count < FLOORS_LEAST || points[count - 1].time_ns <= points[0].time_ns)
        return false;
    size_t slots = count / POINTS_PER_FLOOR;
    slots = slots < FLOORS_LEAST ? FLOORS_LEAST : slots > TREND_MAX ? TREND_MAX : slots;
    fill(points, count, slots, floors);
    for (slots /= 2; slots >= FLOORS_LEAST; slots /= 2) {
        fill(points, count, slots, &wider);
        if (trend_noise(&wider) > CALMER * trend_noise(floors))
            break;
        *floors = wider;
    }
    INVARIANT(floors->count <= TREND_MAX);
    return floors->count >= FLOORS_LEAST / 2;
}

void floors_coarsen(const struct trend_series *floors, struct trend_series *coarse)
{
    size_t const group = (floors->count + FLOORS_LEAST - 1) / FLOORS_LEAST;
    coarse->count = 0;
    for (size_t i = 0; i < floors->count; i += group) {
        size_t const end = i + group < floors->count ? i + group : floors->count;
        double least = floors->values[i];
        for (size_t j = i + 1; j < end; j++)
            least = fmin(least, floors->values[j]);
        coarse->times[coarse->count] = (floors->times[i] + floors->times[end - 1]) / 2;
        coarse->values[coarse->count++] = least;
        INVARIANT(coarse->count <= FLOORS_LEAST);
    }
}

static int compare(const void *left, const void *right)
{
    int64_t const a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* The low value of the points of one day; false when too little of it was seen. */
static bool floor_of_day(const struct growth_point *points, size_t count, double begin,
                         double *value)
{
    uint32_t seen = 0;
    int64_t *sorted = malloc((count + 1) * sizeof(*sorted));
    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++) {
        seen |= 1u << (unsigned)fmin((seconds(points[i].time_ns) - begin) * DAY_PARTS / DAY_S,
                                     DAY_PARTS - 1);
        sorted[i] = points[i].value;
    }
    qsort(sorted, count, sizeof(*sorted), compare);
    size_t const low = count / DAY_PERCENTILE;
    *value = count ? (double)sorted[low] : 0;
    free(sorted);
    return __builtin_popcount(seen) >= DAY_PARTS / 2;
}

void floors_make_days(const struct growth_point *points, size_t count, size_t days_max,
                      struct trend_series *days)
{
    double const end = seconds(points[count - 1].time_ns);
    size_t first = 0;
    days->count = 0;
    for (size_t day = days_max; day > 0; day--) {
        double const begin = end - (double)day * DAY_S;
        while (first < count && seconds(points[first].time_ns) < begin)
            first++;
        size_t last = first;
        while (last < count && (seconds(points[last].time_ns) < begin + DAY_S || day == 1))
            last++;
        if (floor_of_day(points + first, last - first, begin, &days->values[days->count]))
            days->times[days->count++] = begin + DAY_S / 2;
        first = last;
    }
}

/* The value at a time: of the first point that is not before it. */
static double value_at(const struct growth_question *question, uint64_t time_ns, size_t *from)
{
    while (*from + 1 < question->count && question->points[*from].time_ns < time_ns)
        (*from)++;
    return (double)question->points[*from].value;
}

double floors_per_mark(const struct growth_question *question, uint64_t from_ns, size_t *used)
{
    struct trend_series series = {.count = 0};
    size_t first = 0, at = 0;
    *used = 0;
    while (first < question->mark_count && question->marks[first] < from_ns)
        first++;
    size_t const count = question->mark_count - first;
    if (count < MARKS_LEAST || question->count == 0)
        return 0;
    size_t const kept = count < TREND_MAX ? count : TREND_MAX;
    for (size_t i = 0; i < kept; i++) {
        size_t const mark = first + i * (count - 1) / (kept - 1);
        series.times[i] = (double)mark;
        series.values[i] = value_at(question, question->marks[mark], &at);
    }
    series.count = kept;
    *used = count;
    return trend_slope(&series, 0, series.count);
}
