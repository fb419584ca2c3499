/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/missed_ticks.h"

#include <errno.h>
#include <stdlib.h>

#define SECOND_US 1000000 /* stamps are whole seconds, most times: up to one early */

static int time_order(const void *left, const void *right)
{
    int64_t const *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The middle one of the times between answers, the shorter of two; 0: there are too few. */
static int64_t usual_period(const tick_list *stamps)
{
    if (stamps->count < 2)
        return 0;
    size_t const count = stamps->count - 1;
    int64_t *between = calloc(count, sizeof(*between));
    if (!between)
        return 0;
    for (size_t i = 0; i < count; i++)
        between[i] = stamps->items[i + 1] - stamps->items[i];
    qsort(between, count, sizeof(*between), time_order);
    int64_t const period = between[(count - 1) / 2];
    free(between);
    return period;
}

static const struct run_segment_times *segment_of(const struct run *run, int64_t time_us)
{
    const struct run_segment_times *found = NULL;
    vec_each (segment, &run->segments)
        if (segment->begin_us <= time_us + SECOND_US)
            found = segment;
    return found;
}

/* Those between `from` and `to`, of which the second is one that was answered, or the end. */
static int add_between(int64_t from, int64_t to, int64_t period, bool is_end, tick_list *missed)
{
    if (period <= 0 || to <= from)
        return 0;
    /* An answer may come up to half a tick early or late. */
    int64_t const ticks = (to - from + period / (is_end ? 4 : 2)) / period;
    int64_t const count = is_end ? ticks : ticks - 1;
    for (int64_t i = 1; i <= count && i <= MISSED_MAX; i++)
        if (!vec_push(missed, from + i * period))
            return -ENOMEM;
    return 0;
}

int missed_ticks(const struct run *run, const tick_list *stamps, int64_t end_us, tick_list *missed)
{
    int64_t const usual = run->segments.count ? 0 : usual_period(stamps);
    int err = 0;
    for (size_t i = 0; i < stamps->count && !err; i++) {
        bool const is_end = i + 1 == stamps->count;
        int64_t const from = stamps->items[i], to = is_end ? end_us : stamps->items[i + 1];
        const struct run_segment_times *segment = segment_of(run, from);
        if (segment && segment != segment_of(run, to))
            continue;
        err = add_between(from, to, segment ? segment->every_us : usual, is_end, missed);
    }
    return err;
}
