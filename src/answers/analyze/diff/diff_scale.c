/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff_scale.h"

#include <errno.h>
#include <math.h>
#include <string.h>

const char *const diff_scale_names[] = {
    [SCALE_NONE] = "none", [SCALE_TIME] = "time", [SCALE_TOTAL] = "total", NULL};

bool diff_scale_find(const char *name, enum diff_scale *scale)
{
    for (int i = 0; diff_scale_names[i]; i++)
        if (strcmp(name, diff_scale_names[i]) == 0) {
            *scale = (enum diff_scale)i;
            return true;
        }
    return false;
}

uint64_t diff_side_time(const struct diff_side *side)
{
    struct time_range used = side->weights->used;
    if (used.to_ns > side->recording->duration_ns)
        used.to_ns = side->recording->duration_ns;
    return used.to_ns > used.from_ns ? used.to_ns - used.from_ns : 0;
}

static int by_time(const struct diff_side *before, const struct diff_side *after, double *factor,
                   struct fault *fault)
{
    uint64_t const older = diff_side_time(before), newer = diff_side_time(after);
    const struct metric *metric = after->weights->metric;
    if (metric->kind != METRIC_COUNTER)
        return fault_set(fault, -EINVAL,
                         "%s does not add up over time, so it cannot be compared per second: "
                         "normalise by total, or take a metric such as heap.allocated or cpu.on",
                         metric->name);
    if (older == 0 || newer == 0)
        return fault_set(fault, -EINVAL, "a recording without duration has no rate per second");
    *factor = (double)newer / (double)older;
    return 0;
}

int diff_scale_factor(enum diff_scale scale, const struct diff_side *before,
                      const struct diff_side *after, double *factor, struct fault *fault)
{
    int64_t const older = before->weights->total_value, newer = after->weights->total_value;
    *factor = 1;
    if (scale == SCALE_NONE)
        return 0;
    if (scale == SCALE_TIME)
        return by_time(before, after, factor, fault);
    if (older <= 0 || newer <= 0)
        return fault_set(
            fault, -EINVAL, "there is no total to compare by: the older side has %s of %s",
            older <= 0 ? "none" : "some, the newer none", after->weights->metric->name);
    *factor = (double)newer / (double)older;
    return 0;
}

void weights_scale(struct weights *weights, double factor)
{
    if (factor == 1)
        return;
    weights->total_value = llround(factor * (double)weights->total_value);
    vec_each (row, &weights->rows)
        row->value = llround(factor * (double)row->value);
}
