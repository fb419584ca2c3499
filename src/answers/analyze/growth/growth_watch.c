/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/growth_watch.h"

#include "base/clock.h"

#define JUDGE_NS (10 * NS_PER_SECOND)

static void merge_pairs(struct growth_watch *watch)
{
    size_t kept = 0;
    for (size_t i = 0; i + 1 < watch->count; i += 2) {
        struct growth_point const a = watch->points[i], b = watch->points[i + 1];
        watch->points[kept++] =
            (struct growth_point){b.time_ns, a.value < b.value ? a.value : b.value};
    }
    uint64_t const span = watch->points[watch->count - 1].time_ns - watch->points[0].time_ns;
    watch->spacing_ns = span / watch->count * 2;
    watch->count = kept;
}

void growth_watch_add(struct growth_watch *watch, uint64_t time_ns, int64_t value)
{
    if (watch->count > 1) {
        struct growth_point *last = &watch->points[watch->count - 1];
        if (time_ns - watch->points[watch->count - 2].time_ns <= watch->spacing_ns) {
            last->time_ns = time_ns;
            last->value = value < last->value ? value : last->value;
            return;
        }
    }
    if (watch->count == GROWTH_WATCH_POINTS)
        merge_pairs(watch);
    watch->points[watch->count++] = (struct growth_point){time_ns, value};
}

bool growth_watch_judge(struct growth_watch *watch, int64_t limit_bytes)
{
    uint64_t const now = watch->count ? watch->points[watch->count - 1].time_ns : 0;
    if (now < watch->judged_ns + JUDGE_NS)
        return watch->was_growing && watch->growth.verdict == GROWTH_GROWING;
    bool const before = watch->growth.verdict == GROWTH_GROWING;
    growth_judge(&(struct growth_question){.points = watch->points,
                                           .count = watch->count,
                                           .limit_bytes = limit_bytes},
                 &watch->growth);
    watch->judged_ns = now;
    watch->was_growing = before;
    return before && watch->growth.verdict == GROWTH_GROWING;
}
