/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "cluster/metrics/metric_curves.h"

double histogram_quantile(const struct histogram_bucket *buckets, size_t count, double quantile)
{
    double const total = count ? buckets[count - 1].count : 0;
    double const rank = quantile * total;
    double below = 0;
    if (!(total > 0))
        return NAN;
    for (size_t i = 0; i < count; i++) {
        double const bound = buckets[i].bound;
        if (buckets[i].count < rank) {
            below = buckets[i].count;
            continue;
        }
        if (isinf(bound)) /* beyond the last bound all that is known is that */
            return i ? buckets[i - 1].bound : NAN;
        double const from = i ? buckets[i - 1].bound : bound > 0 ? 0 : bound;
        double const inside = buckets[i].count - below;
        return inside > 0 ? from + (bound - from) * (rank - below) / inside : bound;
    }
    return NAN;
}
