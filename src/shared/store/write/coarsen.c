/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/coarsen.h"

#include "base/clock.h"
#include "base/invariant.h"

#define MIN  (60 * NS_PER_SECOND)
#define HOUR (60 * MIN)
#define DAY  (24 * HOUR)
/* Groups that a mark ends are at least this part as long as others: marks get coarser as time
 * does. */
#define MARKS_PER_WIDTH 8

static const struct {
    uint64_t younger_than_ns, width_ns;
} ladder[] = {
    {10 * MIN, 0},
    {2 * HOUR, 10 * NS_PER_SECOND},
    {DAY, MIN},
    {7 * DAY, 10 * MIN},
    {30 * DAY, HOUR},
    {365 * DAY, DAY},
    {UINT64_MAX, UINT64_MAX},
};

uint64_t coarsen_width(uint64_t age_ns, unsigned step)
{
    INVARIANT(step < COARSEN_STEPS);
    for (unsigned i = 0; i < step; i++)
        age_ns = age_ns > UINT64_MAX / 4 ? UINT64_MAX : age_ns * 4;
    size_t rung = 0;
    while (age_ns >= ladder[rung].younger_than_ns && ladder[rung].younger_than_ns != UINT64_MAX)
        rung++;
    INVARIANT(rung < sizeof(ladder) / sizeof(ladder[0]));
    return ladder[rung].width_ns;
}

bool coarsen_is_pinned(const struct recording *recording, uint64_t time_ns)
{
    for (size_t i = 0; i < recording->pins.count; i++)
        if (recording->pins.items[i].time_ns == time_ns)
            return true;
    return false;
}

size_t coarsen_group_end(const struct coarsen_plan *plan, size_t first)
{
    INVARIANT(first < plan->count);
    const struct bucket *buckets = plan->buckets;
    uint64_t newest_ns = buckets[plan->count - 1].end_ns;
    size_t end = first + 1;
    for (; plan->enabled && end < plan->count; end++) {
        const struct bucket *next = &buckets[end];
        INVARIANT(next->end_ns <= newest_ns && buckets[first].begin_ns <= next->begin_ns);
        uint64_t width = coarsen_width(newest_ns - next->end_ns, plan->step);
        if (width == 0 || next->begin_ns / width != buckets[first].begin_ns / width ||
            next->begin_ns != buckets[end - 1].end_ns ||
            coarsen_is_pinned(plan->recording, next->begin_ns) ||
            (next->begin_ns - buckets[first].begin_ns >= width / MARKS_PER_WIDTH &&
             marks_have(&plan->recording->marks, next->begin_ns)))
            break;
    }
    return end;
}

size_t coarsen_group_count(const struct coarsen_plan *plan)
{
    size_t groups = 0;
    for (size_t i = 0; i < plan->count; i = coarsen_group_end(plan, i))
        groups++;
    INVARIANT(groups <= plan->count);
    return groups;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The last ones do not say any more what was the most. */
static void keep_most(struct bucket *bucket, const struct bucket *next)
{
    bucket->rss_max = larger(larger(bucket->rss_max, bucket->gauges.rss_bytes),
                             larger(next->rss_max, next->gauges.rss_bytes));
    bucket->pss_max =
        larger(larger(bucket->pss_max, bucket->pss_bytes), larger(next->pss_max, next->pss_bytes));
}

void coarsen_absorb(struct bucket *bucket, const struct bucket *next)
{
    INVARIANT(bucket->end_ns == next->begin_ns && next->begin_ns <= next->end_ns);
    keep_most(bucket, next);
    struct gauges *sum = &bucket->gauges;
    const struct gauges *more = &next->gauges;
    if (more->rss_bytes >= 0)
        sum->rss_bytes = more->rss_bytes;
    if (next->pss_bytes > 0)
        bucket->pss_bytes = next->pss_bytes;
    if (more->rss_bytes >= 0)
        bucket->own_bytes = next->own_bytes;
    if (more->heap_live_end >= 0)
        sum->heap_live_end = more->heap_live_end;
    if (more->heap_live_max > sum->heap_live_max)
        sum->heap_live_max = more->heap_live_max;
    if (more->heap_live_min >= 0 &&
        (sum->heap_live_min < 0 || more->heap_live_min < sum->heap_live_min))
        sum->heap_live_min = more->heap_live_min;
    bucket->lost_events += next->lost_events;
    bucket->end_ns = next->end_ns;
    INVARIANT(bucket->begin_ns <= bucket->end_ns);
}
