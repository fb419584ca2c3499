/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/recording_growth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/growth/growth_floors.h"
#include "analyze/growth/growth_sites.h"

#define FAMILY_TEXT_MAX 128
#define DAYS_SHOWN      7

/* The name of a mark with '#' for every number in it: "block 17" and "block 18" are one piece of
 * work, twice. */
static string_id family_of(struct recording *recording, string_id label)
{
    char text[FAMILY_TEXT_MAX];
    size_t size = 0;
    bool in_number = false;
    for (const char *at = recording_text(recording, label); *at && size + 1 < sizeof(text); at++) {
        bool const digit = *at >= '0' && *at <= '9';
        if (digit && in_number)
            continue;
        text[size++] = digit ? '#' : *at;
        in_number = digit;
    }
    text[size] = '\0';
    return recording_intern(recording, text);
}

struct mark_times {
    VEC(uint64_t) times;
};

/* The marks and beginnings of phases of the family that has most of them, up to a time.  Its
 * name. */
static string_id collect_marks(struct recording *recording, uint64_t to_ns, struct mark_times *into)
{
    const struct mark_list *marks = &recording->marks;
    string_id *families = calloc(marks->count + 1, sizeof(*families));
    string_id best = STRING_EMPTY;
    size_t votes = 0;
    for (size_t i = 0; families && i < marks->count; i++)
        if (marks->items[i].kind != MARK_END && marks->items[i].time_ns <= to_ns)
            families[i] = family_of(recording, marks->items[i].label);
    for (size_t i = 0; families && i < marks->count; i++) { /* who has the majority, if any */
        if (families[i] == STRING_EMPTY)
            continue;
        if (votes == 0)
            best = families[i];
        votes += families[i] == best ? 1 : (size_t)-1;
    }
    for (size_t i = 0; families && i < marks->count; i++)
        if (families[i] == best && best != STRING_EMPTY)
            (void)vec_push(&into->times, marks->items[i].time_ns);
    free(families);
    return into->times.count > 1 ? best : STRING_EMPTY;
}

struct point_list {
    VEC(struct growth_point) points;
};

static int collect(const struct recording *recording, bool heap, uint64_t from_ns, uint64_t to_ns,
                   struct point_list *list)
{
    vec_each (bucket, &recording->buckets) {
        if (bucket->end_ns < from_ns || bucket->end_ns > to_ns)
            continue;
        const struct gauges *gauges = &bucket->gauges;
        int64_t const live =
            gauges->heap_live_min >= 0 ? gauges->heap_live_min : gauges->heap_live_end;
        int64_t const value = heap                    ? live
                              : gauges->rss_bytes < 0 ? -1
                                                      : gauges->rss_bytes - bucket->own_bytes;
        struct growth_point const point = {bucket->end_ns, value};
        if (value >= 0 && !vec_push(&list->points, point))
            return -ENOMEM;
    }
    return 0;
}

/* What recording takes in the process is not its growth.  Older recordings do not say how much
 * that was at each time: then it is at most what it was in the end. */
static int64_t own_rise(const struct recording *recording)
{
    vec_each (bucket, &recording->buckets)
        if (bucket->own_bytes > 0)
            return 0;
    return (int64_t)recording->cost.arena_bytes;
}

static int judge(const struct recording *recording, struct time_range range, bool heap,
                 struct growth_question question, struct growth *growth)
{
    struct point_list list = {0};
    int const err = collect(recording, heap, range.from_ns, range.to_ns, &list);
    question.points = list.points.items;
    question.count = list.points.count;
    growth_judge(&question, growth);
    vec_free(&list.points);
    return err;
}

int recording_growth_between(const struct recording *recording, bool heap, uint64_t from_ns,
                             uint64_t to_ns, struct growth *growth)
{
    struct point_list list = {0};
    int const err = collect(recording, heap, from_ns, to_ns, &list);
    struct growth_question const question = {.points = list.points.items,
                                             .count = list.points.count,
                                             .least_rise = heap ? 0 : own_rise(recording)};
    growth_judge(&question, growth);
    vec_free(&list.points);
    return err;
}

int recording_growth_make(struct recording *recording, int64_t limit_bytes,
                          struct recording_growth *growth, struct fault *fault)
{
    struct time_range const all = {0, UINT64_MAX};
    return recording_growth_make_within(recording, all, limit_bytes, growth, fault);
}

int recording_growth_make_within(struct recording *recording, struct time_range range,
                                 int64_t limit_bytes, struct recording_growth *growth,
                                 struct fault *fault)
{
    struct mark_times marks = {0};
    *growth = (struct recording_growth){.limit_bytes = limit_bytes};
    if (limit_bytes <= 0)
        growth->limit_bytes =
            (int64_t)(recording->limit_bytes ? recording->limit_bytes : recording->machine_bytes);
    growth->mark_name = collect_marks(recording, range.to_ns, &marks);
    struct growth_question question = {.limit_bytes = growth->limit_bytes};
    if (growth->mark_name != STRING_EMPTY) {
        question.marks = marks.times.items;
        question.mark_count = marks.times.count;
    }
    question.least_rise = own_rise(recording);
    int err = judge(recording, range, false, question, &growth->rss);
    question.least_rise = 0;
    if (!err)
        err = judge(recording, range, true, question, &growth->heap);
    vec_free(&marks.times);
    vec_each (bucket, &recording->buckets)
        if (bucket->end_ns <= range.to_ns && bucket->gauges.rss_bytes > 0)
            growth->own_bytes = bucket->own_bytes;
    if (err)
        return fault_set(fault, err, "out of memory while looking for growth");
    return growth->heap.verdict == GROWTH_GROWING ? growth_sites_find(recording, growth, fault) : 0;
}

/* Theil and Sen's line: its slope is the verdict's, and half of the floors lie above it. */
static void fit_line(const struct growth *growth, struct growth_curve *curve)
{
    const struct trend_series *floors = &curve->floors;
    double left[TREND_MAX];
    for (size_t i = 0; i < floors->count; i++)
        left[i] = floors->values[i] - growth->slope * floors->times[i];
    curve->has_line = true;
    double const at_zero = trend_median(left, floors->count);
    curve->line_from = at_zero + growth->slope * (double)growth->from_ns / 1e9;
    curve->line_to = at_zero + growth->slope * (double)growth->to_ns / 1e9;
}

int growth_curve_make(const struct recording *recording, struct time_range range, bool heap,
                      const struct growth *growth, struct growth_curve *curve)
{
    struct point_list list = {0};
    *curve = (struct growth_curve){.line_from = 0};
    if (growth->verdict != GROWTH_UNKNOWN && growth->from_ns > range.from_ns)
        range.from_ns = growth->from_ns;
    int const err = collect(recording, heap, range.from_ns, range.to_ns, &list);
    if (!err && list.points.count && growth->rule == GROWTH_BY_DAYS)
        floors_make_days(list.points.items, list.points.count, DAYS_SHOWN, &curve->floors);
    else if (!err && list.points.count)
        (void)floors_make(list.points.items, list.points.count, &curve->floors);
    if (curve->floors.count && growth->verdict != GROWTH_UNKNOWN)
        fit_line(growth, curve);
    vec_free(&list.points);
    return err;
}
