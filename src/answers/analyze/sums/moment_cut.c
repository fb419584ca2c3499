/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/moment_cut.h"

enum column metric_moments(const struct metric *metric)
{
    bool const has_moments =
        metric->plus == COL_CPU_NS || metric->plus == COL_OFFCPU_NS || metric_is_own(metric);
    return has_moments && metric->minus == COL_NONE && metric->more == 0 ? metric->plus : COL_NONE;
}

bool moment_cuts(const struct bucket *bucket, enum column column, struct time_range range)
{
    bool has_moments = false;
    if (column == COL_NONE || (range.from_ns <= bucket->begin_ns && range.to_ns >= bucket->end_ns))
        return false;
    for (size_t i = 0; i < bucket->moment_count; i++) {
        if (bucket->moments[i].column != column)
            continue;
        if (bucket->moments[i].after_ns == MOMENT_TIMELESS)
            return false;
        has_moments = true;
    }
    for (size_t i = 0; !has_moments && i < bucket->cell_count; i++)
        if (bucket->cells[i].column == column)
            return false;
    return true;
}

bool moment_is_in(const struct bucket *bucket, const struct moment *moment, enum column column,
                  struct time_range range)
{
    if (moment->column != column || moment->after_ns == MOMENT_TIMELESS)
        return false;
    uint64_t const time_ns = bucket->begin_ns + moment->after_ns;
    return time_ns >= range.from_ns && time_ns < range.to_ns;
}

void moment_edges_note(struct moment_edges *edges, const struct bucket *bucket,
                       struct time_range asked)
{
    edges->from |= asked.from_ns > bucket->begin_ns;
    edges->to |= asked.to_ns < bucket->end_ns;
}

struct time_range moment_edges_used(const struct moment_edges *edges, struct time_range asked,
                                    struct time_range snapped)
{
    return (struct time_range){edges->from ? asked.from_ns : snapped.from_ns,
                               edges->to ? asked.to_ns : snapped.to_ns};
}
