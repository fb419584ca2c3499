/* SPDX-License-Identifier: Apache-2.0 */
/* series_types.c - whether a metric is a counter or a gauge.  If a node does not say so, the other
 * nodes are asked, and then the name of the metric. */
#include <string.h>

#include "cluster/metrics/series_parts.h"

static bool is_told(const struct series *series)
{
    return series->family->type != EXPOSITION_UNKNOWN;
}

/* A type that is told in a later answer than the first number counts as well. */
static bool counts_up(const struct series *series)
{
    return series->is->is_cumulative || (series->family->type == EXPOSITION_COUNTER &&
                                         strcmp(series->family->name, series->is->name) == 0);
}

static bool counts_up_by_name(const char *name)
{
    static const char *const endings[] = {"_total", "_count", "_sum", "_bucket"};
    size_t const size = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t const ending = strlen(endings[i]);
        if (size > ending && strcmp(name + size - ending, endings[i]) == 0)
            return true;
    }
    return false;
}

static void settle_name(struct series *series, size_t count)
{
    const struct series *told = NULL;
    for (size_t i = 0; i < count && !told; i++)
        told = is_told(&series[i]) ? &series[i] : NULL;
    for (size_t i = 0; i < count; i++) {
        struct series *one = &series[i];
        if (is_told(one)) {
            one->is_cumulative = counts_up(one);
        } else if (told) {
            one->family = told->family;
            one->is_cumulative = counts_up(told);
        } else {
            one->is_cumulative = counts_up_by_name(one->is->name);
        }
    }
}

void series_settle_types(struct series_set *set)
{
    struct series *series = set->series.items;
    for (size_t at = 0, end; at < set->series.count; at = end) {
        for (end = at + 1; end < set->series.count; end++)
            if (strcmp(series[at].is->name, series[end].is->name) != 0)
                break;
        settle_name(series + at, end - at);
    }
}
