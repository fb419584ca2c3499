/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history/history_command.h"
#include "model/memory/memory_level.h"

#define MS_NS        UINT64_C(1000000)
#define LEAST_BLOCKS 100

bool history_is_asked(const struct history_question *question, const struct history_series *series)
{
    if (series->points.count == 0)
        return false;
    if (!question->category && !question->site)
        return true;
    if (question->site && series->kind == HISTORY_SITE)
        return pattern_matches(question->site, slice_of(series->name));
    return question->category && series->kind != HISTORY_SITE &&
           strcmp(series->name, question->category) == 0;
}

/* Points of the newest run, as the verdict wants them; the caller frees. */
static struct growth_point *collect(const struct history_series *series, uint32_t run,
                                    size_t *count)
{
    struct growth_point *points = calloc(series->points.count + 1, sizeof(*points));
    *count = 0;
    for (size_t i = 0; points && i < series->points.count; i++) {
        const struct history_point *point = &series->points.items[i];
        uint64_t const time_ns = (point->time_ms + point->span_ms) * MS_NS;
        if (point->run != run || (*count > 0 && points[*count - 1].time_ns >= time_ns))
            continue;
        points[(*count)++] = (struct growth_point){time_ns, point->low};
    }
    return points;
}

static int judge(const struct history_service *service, const struct history_series *series,
                 int64_t limit, struct history_trend *trend)
{
    uint32_t const newest = (uint32_t)service->runs.count - 1;
    const struct history_point *last = &series->points.items[series->points.count - 1];
    size_t count;
    *trend = (struct history_trend){
        .series = series, .now = last->last, .low = last->low, .high = last->high};
    vec_each (point, &series->points) {
        trend->low = point->low < trend->low ? point->low : trend->low;
        trend->high = point->high > trend->high ? point->high : trend->high;
    }
    const struct history_run *run = &service->runs.items[newest];
    uint64_t const span = last->span_ms ? last->span_ms : 1;
    trend->is_gone = last->run != newest || last->time_ms + span <= run->last_ms;
    struct growth_point *points = collect(series, newest, &count);
    if (!points)
        return -ENOMEM;
    bool const is_count = strcmp(series->name, memory_level_name(LEVEL_BLOCKS)) == 0;
    growth_judge(&(struct growth_question){.points = points,
                                           .count = count,
                                           .limit_bytes = is_count ? 0 : limit,
                                           .least_rise = is_count ? LEAST_BLOCKS : 0},
                 &trend->growth);
    free(points);
    return 0;
}

static double steepness(const struct history_trend *trend)
{
    return trend->growth.verdict == GROWTH_GROWING ? trend->growth.slope : 0;
}

/* Those that grow first, then the largest. */
static int compare_sites(const struct history_trend *a, const struct history_trend *b)
{
    double const steep_a = steepness(a), steep_b = steepness(b);
    if (steep_a != steep_b)
        return steep_a > steep_b ? -1 : 1;
    return a->now > b->now ? -1 : a->now < b->now;
}

static enum memory_level level_of(const struct history_trend *trend)
{
    return memory_level_find(trend->series->name, strlen(trend->series->name));
}

static int compare(const void *left, const void *right)
{
    const struct history_trend *a = left, *b = right;
    if (a->series->kind != b->series->kind)
        return a->series->kind < b->series->kind ? -1 : 1;
    int const order =
        a->series->kind == HISTORY_SITE ? compare_sites(a, b) : (int)level_of(a) - (int)level_of(b);
    return order ? order : strcmp(a->series->name, b->series->name);
}

int history_trends_make(const struct history_question *question,
                        const struct history_service *service, struct history_trends *trends)
{
    *trends = (struct history_trends){.limit_bytes = question->limit_bytes};
    if (service->runs.count == 0)
        return 0;
    if (trends->limit_bytes == 0)
        trends->limit_bytes = service->runs.items[service->runs.count - 1].limit_bytes;
    vec_each (series, &service->series) {
        struct history_trend trend;
        if (!history_is_asked(question, series))
            continue;
        if (judge(service, series, trends->limit_bytes, &trend) < 0 ||
            !vec_push(&trends->rows, trend))
            return -ENOMEM;
    }
    if (trends->rows.count > 0)
        qsort(trends->rows.items, trends->rows.count, sizeof(struct history_trend), compare);
    return 0;
}

void history_trends_fini(struct history_trends *trends)
{
    vec_free(&trends->rows);
}
