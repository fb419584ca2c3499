/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_noise.h"

#include <math.h>
#include <string.h>

#include "model/sampling.h"

#define DEVIATION 1.96 /* of 95 % */
#define SAME      0.5  /* units */

const char *const diff_change_names[CHANGE_KINDS] = {
    [CHANGE_NONE] = "same",         [CHANGE_NOISE] = "chance",      [CHANGE_SHRANK_1] = "shrank_1",
    [CHANGE_SHRANK_2] = "shrank_2", [CHANGE_SHRANK_3] = "shrank_3", [CHANGE_SHRANK_4] = "shrank_4",
    [CHANGE_GREW_1] = "grew_1",     [CHANGE_GREW_2] = "grew_2",     [CHANGE_GREW_3] = "grew_3",
    [CHANGE_GREW_4] = "grew_4",     [CHANGE_NEW] = "new",           [CHANGE_GONE] = "gone"};

static double weight_of(const struct weights *weights)
{
    return weights->total_count > 0 ? (double)weights->total_value / (double)weights->total_count
                                    : 0;
}

static bool is_of_heap(const struct metric *metric)
{
    return metric->plus >= COL_HEAP_CALLS && metric->plus <= COL_HEAP_SLACK_FREED;
}

struct diff_noise diff_noise_of(const struct diff_side *before, const struct diff_side *after,
                                double factor)
{
    const struct metric *metric = after->weights->metric;
    struct diff_noise noise = {.factor = factor,
                               .before_rate = before->recording->quality.sample_rate,
                               .after_rate = after->recording->quality.sample_rate};
    if (metric->plus == COL_CPU_NS) {
        noise.before_weight = weight_of(before->weights);
        noise.after_weight = weight_of(after->weights);
        if (noise.before_weight <= 0)
            noise.before_weight = noise.after_weight;
        if (noise.after_weight <= 0)
            noise.after_weight = noise.before_weight;
        noise.kind = noise.after_weight > 0 ? NOISE_SAMPLES : NOISE_NONE;
    } else if (is_of_heap(metric) && (noise.before_rate || noise.after_rate)) {
        noise.kind = strcmp(metric->unit, "bytes") == 0 ? NOISE_BLOCKS : NOISE_UNKNOWN;
    }
    return noise;
}

double diff_noise_change(const struct diff_noise *noise, const struct diff_values *values)
{
    return (double)values->after - noise->factor * (double)values->before;
}

/* One more than was seen, as sample_error does: that nothing was seen does not mean that nothing
 * is. */
static double samples_error(int64_t count, double weight)
{
    return DEVIATION * sqrt(fabs((double)count) + 1) * weight;
}

static double blocks_error(int64_t bytes, int64_t count, uint64_t rate)
{
    return (double)sample_error(
        &(struct sample_estimate){bytes, count, SAMPLE_SPREAD_UNKNOWN, rate});
}

double diff_noise_error(const struct diff_noise *noise, const struct diff_values *values)
{
    double before = 0, after = 0;
    if (noise->kind == NOISE_SAMPLES) {
        before = samples_error(values->before_count, noise->before_weight);
        after = samples_error(values->after_count, noise->after_weight);
    } else if (noise->kind == NOISE_BLOCKS) {
        before = blocks_error(values->before, values->before_count, noise->before_rate);
        after = blocks_error(values->after, values->after_count, noise->after_rate);
    }
    return hypot(before * noise->factor, after);
}

enum diff_change diff_noise_judge(const struct diff_noise *noise, const struct diff_values *values)
{
    double const before = noise->factor * (double)values->before, after = (double)values->after;
    double const change = after - before;
    if (fabs(change) < SAME)
        return CHANGE_NONE;
    if (fabs(change) <= diff_noise_error(noise, values))
        return CHANGE_NOISE;
    if (values->before == 0)
        return CHANGE_NEW;
    if (values->after == 0)
        return CHANGE_GONE;
    double const share = change / fabs(before);
    if (share < 0)
        return share > -0.1       ? CHANGE_SHRANK_1
               : share > -1.0 / 3 ? CHANGE_SHRANK_2
               : share > -2.0 / 3 ? CHANGE_SHRANK_3
                                  : CHANGE_SHRANK_4;
    return share < 0.1   ? CHANGE_GREW_1
           : share < 0.5 ? CHANGE_GREW_2
           : share < 2   ? CHANGE_GREW_3
                         : CHANGE_GREW_4;
}
