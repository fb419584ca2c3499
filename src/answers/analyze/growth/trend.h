/* trend.h - does a short series rise, how fast, and how sure is that?
 *
 * Mann and Kendall's test with the variance of Hamed and Rao, because neighbours in a series of
 * memory resemble each other; Theil and Sen's slope, because a few odd values must not matter.
 * O(n^2) with n at most TREND_MAX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TREND_MAX 96

/* Times rise; the slope is per unit of time. */
struct trend_series {
    size_t count; /* at most TREND_MAX */
    double times[TREND_MAX], values[TREND_MAX];
};

struct trend {
    double slope, low, high; /* the median of all pairs, and its 95 % interval */
    double z; /* of the test: 0 without a trend, above 2.58 rises in 99 of 100 cases */
};

/* Fewer than four values have no trend: all 0. */
struct trend trend_of(const struct trend_series *series);

/* Of the values from `first` up to `end`, alone. */
double trend_slope(const struct trend_series *series, size_t first, size_t end);

/* Sorts `values`.  0 when there are none. */
double trend_median(double *values, size_t count);

/* How much values differ from their neighbours by chance: sigma, by the median deviation. */
double trend_noise(const struct trend_series *series);

/* The last change from one level to another.  A steady rise is none, however steep. */
struct trend_shift {
    size_t at;      /* the first value behind it; 0: there is none */
    bool is_sudden; /* most of it between two neighbours */
};
struct trend_shift trend_last_shift(const struct trend_series *series);
