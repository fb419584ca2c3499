/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

#define PAIRS_MAX          (TREND_MAX * (TREND_MAX - 1) / 2)
#define LEAST_COUNT        4
#define Z_95               1.96
#define MAD_TO_SIGMA       1.4826
#define SHIFT_SIGMAS       6.0
#define SHIFT_TYPICALS     4.0
#define SHIFT_SIDE_SHARE   12 /* of the series, looked at on each side of a jump */
#define SHIFT_SIDE_LEAST   3
#define SHIFT_SUDDEN_SHARE 0.5
#define SHIFT_RANGE_SHARE  0.2 /* of the whole range: what is less is no new level */

static int compare(const void *left, const void *right)
{
    double const a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double trend_median(double *values, size_t count)
{
    if (count == 0)
        return 0;
    qsort(values, count, sizeof(*values), compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The slopes of all pairs, sorted; how many. */
static size_t sorted_slopes(const struct trend_series *series, size_t first, size_t end,
                            double slopes[PAIRS_MAX])
{
    INVARIANT(first <= end && end <= series->count && series->count <= TREND_MAX);
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = i + 1; j < end; j++)
            if (series->times[j] > series->times[i])
                slopes[count++] =
                    (series->values[j] - series->values[i]) / (series->times[j] - series->times[i]);
    INVARIANT(count <= PAIRS_MAX);
    if (count > 0)
        qsort(slopes, count, sizeof(*slopes), compare);
    return count;
}

double trend_slope(const struct trend_series *series, size_t first, size_t end)
{
    double slopes[PAIRS_MAX];
    size_t const count = sorted_slopes(series, first, end, slopes);
    return count == 0  ? 0
           : count % 2 ? slopes[count / 2]
                       : (slopes[count / 2 - 1] + slopes[count / 2]) / 2;
}

static double sign(double value)
{
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/* Of Kendall's S when values do not depend on each other; ties make it smaller. */
static double plain_variance(const struct trend_series *series)
{
    double sorted[TREND_MAX], n = (double)series->count;
    double variance = n * (n - 1) * (2 * n + 5);
    memcpy(sorted, series->values, series->count * sizeof(*sorted));
    qsort(sorted, series->count, sizeof(*sorted), compare);
    for (size_t i = 0, j; i < series->count; i = j) {
        for (j = i + 1; j < series->count && sorted[j] == sorted[i];)
            j++;
        double const tied = (double)(j - i);
        variance -= tied * (tied - 1) * (2 * tied + 5);
    }
    return variance / 18;
}

/* Ranks of what is left without the trend, around 0. */
static void rank_residues(const struct trend_series *series, double slope, double ranks[TREND_MAX])
{
    double residues[TREND_MAX];
    for (size_t i = 0; i < series->count; i++)
        residues[i] = series->values[i] - slope * (series->times[i] - series->times[0]);
    for (size_t i = 0; i < series->count; i++) {
        ranks[i] = 0;
        for (size_t j = 0; j < series->count; j++)
            ranks[i] += sign(residues[i] - residues[j]) / 2;
    }
}

/* By how much the variance is larger because neighbours are alike (Hamed and Rao): at least 1. */
static double likeness(const struct trend_series *series, double slope)
{
    double ranks[TREND_MAX], square = 0, sum = 0, n = (double)series->count;
    rank_residues(series, slope, ranks);
    for (size_t i = 0; i < series->count; i++)
        square += ranks[i] * ranks[i];
    if (square <= 0)
        return 1;
    for (size_t lag = 1; lag + 2 < series->count; lag++) {
        double product = 0, left = n - (double)lag;
        for (size_t i = 0; i + lag < series->count; i++)
            product += ranks[i] * ranks[i + lag];
        if (fabs(product / square) > Z_95 / sqrt(n))
            sum += left * (left - 1) * (left - 2) * product / square;
    }
    double const factor = 1 + 2 * sum / (n * (n - 1) * (n - 2));
    return factor > 1 ? factor : 1;
}

struct trend trend_of(const struct trend_series *series)
{
    double slopes[PAIRS_MAX], score = 0;
    struct trend trend = {0, 0, 0, 0};
    if (series->count < LEAST_COUNT)
        return trend;
    size_t const count = sorted_slopes(series, 0, series->count, slopes);
    if (count == 0)
        return trend;
    trend.slope = slopes[count / 2];
    for (size_t i = 0; i < series->count; i++)
        for (size_t j = i + 1; j < series->count; j++)
            score += sign(series->values[j] - series->values[i]);
    double const variance = plain_variance(series) * likeness(series, trend.slope);
    double const margin = Z_95 * sqrt(variance > 0 ? variance : 0);
    double const low = ((double)count - margin) / 2, high = ((double)count + margin) / 2;
    trend.low = slopes[low > 0 ? (size_t)low : 0];
    trend.high = slopes[high < (double)(count - 1) ? (size_t)high : count - 1];
    INVARIANT(trend.low <= trend.high);
    if (variance > 0)
        trend.z = (score - sign(score)) / sqrt(variance);
    return trend;
}

static double median_of(const struct trend_series *series, size_t first, size_t count)
{
    INVARIANT(first + count <= series->count);
    double values[TREND_MAX];
    memcpy(values, series->values + first, count * sizeof(*values));
    return trend_median(values, count);
}

double trend_noise(const struct trend_series *series)
{
    double steps[TREND_MAX];
    if (series->count < 2)
        return 0;
    size_t const count = series->count - 1;
    for (size_t i = 0; i < count; i++)
        steps[i] = series->values[i + 1] - series->values[i];
    double const middle = trend_median(steps, count);
    for (size_t i = 0; i < count; i++)
        steps[i] = fabs(series->values[i + 1] - series->values[i] - middle);
    return MAD_TO_SIGMA * trend_median(steps, count) / sqrt(2);
}

static double range_of(const struct trend_series *series)
{
    double low = series->values[0], high = low;
    for (size_t i = 1; i < series->count; i++) {
        low = fmin(low, series->values[i]);
        high = fmax(high, series->values[i]);
    }
    return high - low;
}

/* Of neighbours i - 1 and i: the widest step of those that belong to one jump. */
static size_t widest_step(const struct trend_series *series, size_t from, size_t to)
{
    INVARIANT(from > 0 && from <= to && to < series->count);
    size_t widest = from;
    for (size_t i = from; i <= to; i++)
        if (fabs(series->values[i] - series->values[i - 1]) >
            fabs(series->values[widest] - series->values[widest - 1]))
            widest = i;
    return widest;
}

struct trend_shift trend_last_shift(const struct trend_series *series)
{
    double jumps[TREND_MAX], sorted[TREND_MAX];
    size_t const n = series->count;
    size_t side = n / SHIFT_SIDE_SHARE;
    if (side < SHIFT_SIDE_LEAST)
        side = SHIFT_SIDE_LEAST;
    if (n < 4 * side)
        return (struct trend_shift){0, false};
    size_t const count = n - 2 * side + 1; /* jump k lies before value k + side */
    for (size_t k = 0; k < count; k++)
        jumps[k] = fabs(median_of(series, k + side, side) - median_of(series, k, side));
    memcpy(sorted, jumps, count * sizeof(*sorted));
    double least = SHIFT_TYPICALS * trend_median(sorted, count);
    least = fmax(least, SHIFT_SIGMAS * trend_noise(series));
    least = fmax(least, SHIFT_RANGE_SHARE * range_of(series));
    size_t end = count;
    while (end > 0 && jumps[end - 1] <= least)
        end--;
    size_t begin = end;
    while (begin > 0 && jumps[begin - 1] > least)
        begin--;
    if (begin == end)
        return (struct trend_shift){0, false};
    size_t const at = widest_step(series, begin + side, end - 1 + side);
    INVARIANT(at >= side && at - side < count);
    double const step = fabs(series->values[at] - series->values[at - 1]);
    return (struct trend_shift){at, step > SHIFT_SUDDEN_SHARE * jumps[at - side]};
}
