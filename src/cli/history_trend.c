/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history_command.h"
#include "model/memory_level.h"

#define MS_NS        UINT64_C(1000000)
#define LEAST_BLOCKS 100

bool history_is_asked(const struct history_question *question, const struct history_series *series)
{
    if (series->points.count == 0)
        return false;
    if (!question->category && !question->site)
        return true;
    if (question->site && series->kind == HISTORY_SITE)
        return regexec(question->site, series->name, 0, NULL, 0) == 0;
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

static int compare(const void *left, const void *right)
{
    const struct history_trend *a = left, *b = right;
    if (a->series->kind != b->series->kind)
        return a->series->kind < b->series->kind ? -1 : 1;
    if (a->series->kind == HISTORY_SITE) {
        double const grows_a = a->growth.verdict == GROWTH_GROWING ? a->growth.slope : 0;
        double const grows_b = b->growth.verdict == GROWTH_GROWING ? b->growth.slope : 0;
        if (grows_a != grows_b)
            return grows_a > grows_b ? -1 : 1;
        if (a->now != b->now)
            return a->now > b->now ? -1 : 1;
    }
    enum memory_level const level_a = memory_level_find(a->series->name, strlen(a->series->name));
    enum memory_level const level_b = memory_level_find(b->series->name, strlen(b->series->name));
    if (level_a != level_b)
        return level_a < level_b ? -1 : 1;
    return strcmp(a->series->name, b->series->name);
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
