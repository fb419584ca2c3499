/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/bandwidth/bandwidth_write.h"
#include "cluster/bandwidth/traffic_names.h"
#include "report/plot/line_chart.h"

typedef VEC(struct chart_point) point_list;

struct curves {
    VEC(struct chart_line) lines;
};
struct charts {
    VEC(struct chart_lane) lanes;
    VEC(struct curves) curves; /* by lane */
};

bool bandwidth_is_pool(const struct bandwidth *bandwidth, const struct series *series)
{
    const char *name = traffic_pool(bandwidth->run, series->node);
    return name && strcmp(name, series->is->name) == 0;
}

static bool is_heap(const struct bandwidth *bandwidth, const struct series *series)
{
    const char *name = traffic_heap(bandwidth->run, series->node);
    return name && strcmp(name, series->is->name) == 0;
}

static void charts_fini(struct charts *charts)
{
    vec_each (curves, &charts->curves) {
        vec_each (line, &curves->lines)
            free((void *)line->points);
        vec_free(&curves->lines);
    }
    vec_free(&charts->curves);
    vec_free(&charts->lanes);
}

static struct curves *add_lane(struct charts *charts, const char *title, const char *unit)
{
    struct chart_lane const lane = {.title = title, .unit = unit};
    if (!vec_push(&charts->lanes, lane) || !vec_push(&charts->curves, (struct curves){{0}}))
        return NULL;
    return &charts->curves.items[charts->curves.count - 1];
}

/* Red, blue and dark yellow for the roles that have had these colours ever since; others by
 * place. */
static int color_of(const struct bandwidth_answer *answer, uint32_t node)
{
    static const struct {
        const char *label;
        int color;
    } known[] = {{"relay", 1}, {"pn", 0}, {"npn", 7}};
    vec_each (group, &answer->groups->groups)
        vec_each (at, &group->nodes)
            for (size_t i = 0; *at == node && i < sizeof(known) / sizeof(known[0]); i++)
                if (strcmp(group->label, known[i].label) == 0)
                    return known[i].color;
    return -1;
}

/* Takes the points. */
static int add_line(const struct bandwidth_answer *answer, uint32_t node, point_list *points,
                    struct curves *curves)
{
    struct chart_line const line = {.name = answer->bandwidth->run->nodes.items[node].name,
                                    .points = points->items,
                                    .count = points->count,
                                    .color = color_of(answer, node)};
    if (points->count == 0)
        return 0;
    if (!vec_push(&curves->lines, line)) {
        vec_free(points);
        return -ENOMEM;
    }
    *points = (point_list){0};
    return 0;
}

static double field_of(const struct bandwidth_interval *interval, int which)
{
    double const fields[] = {interval->sent,         interval->received, interval->p2p_sent,
                             interval->p2p_received, interval->tps,      interval->block_seconds};
    return fields[which];
}

static int add_traffic(const struct bandwidth_answer *answer, struct charts *charts)
{
    static const char *const titles[] = {"sent",
                                         "received",
                                         "sent, p2p",
                                         "received, p2p",
                                         "transactions per second",
                                         "seconds per block"};
    static const char *const units[] = {"bytes/s", "bytes/s", "bytes/s", "bytes/s", "", "s"};
    for (int which = 0; which < 6; which++) {
        struct curves curves = {{0}};
        for (uint32_t i = 0; i < answer->bandwidth->nodes.count; i++) {
            point_list points = {0};
            bool has_any = false;
            vec_each (interval, &answer->bandwidth->nodes.items[i].intervals) {
                double const value = field_of(interval, which);
                has_any |= !isnan(value);
                if (interval->is_restart && /* another life: another line */
                    !vec_push(&points, (struct chart_point){interval->end_us, NAN}))
                    return -ENOMEM;
                if (!vec_push(&points, (struct chart_point){interval->end_us, value}))
                    return -ENOMEM;
            }
            if (!has_any)
                vec_free(&points);
            if (add_line(answer, i, &points, &curves) < 0)
                return -ENOMEM;
        }
        struct curves *into =
            curves.lines.count ? add_lane(charts, titles[which], units[which]) : NULL;
        if (curves.lines.count && !into)
            return -ENOMEM;
        if (into)
            *into = curves;
    }
    return 0;
}

/* Whether an answer of the node is missing between these two, or its process is another. */
static bool is_interrupted(const struct series_set *set, uint32_t before, uint32_t now)
{
    return now > before + 1 || (now != before && set->scrapes.items[now].is_restart);
}

/* A gauge; an answer without it is a gap. */
static int add_gauge(const struct bandwidth_answer *answer, struct charts *charts,
                     bool (*is_it)(const struct bandwidth *, const struct series *))
{
    const struct series_set *set = &answer->bandwidth->set;
    vec_each (series, &set->series) {
        point_list points = {0};
        uint32_t before = series->points.items[0].scrape;
        if (!is_it(answer->bandwidth, series))
            continue;
        vec_each (point, &series->points) {
            int64_t const time = series_time(set, *point);
            if (is_interrupted(set, before, point->scrape) &&
                !vec_push(&points, (struct chart_point){time, NAN}))
                return -ENOMEM;
            before = point->scrape;
            if (!vec_push(&points, (struct chart_point){time, series_value(*point)}))
                return -ENOMEM;
        }
        if (add_line(answer, series->node, &points, &charts->curves.items[0]) < 0)
            return -ENOMEM;
    }
    return 0;
}

static int make_charts(const struct bandwidth_answer *answer, enum bandwidth_picture picture,
                       struct charts *charts)
{
    if (picture == PICTURE_TRAFFIC)
        return add_traffic(answer, charts);
    bool const is_pool = picture == PICTURE_POOL;
    if (!add_lane(charts, is_pool ? "transactions in the pool" : "live objects in the heap",
                  is_pool ? "" : "bytes"))
        return -ENOMEM;
    charts->lanes.items[0].is_dots = !is_pool;
    return add_gauge(answer, charts, is_pool ? bandwidth_is_pool : is_heap);
}

int bandwidth_draw(const struct bandwidth_answer *answer, enum bandwidth_picture picture,
                   struct svg_out *out)
{
    static const char *const titles[] = {"Bandwidth of ", "Pool of transactions of ", "Heap of "};
    struct charts charts = {0};
    struct svg_out title = {0};
    int err = make_charts(answer, picture, &charts);
    size_t lines = 0;
    for (size_t i = 0; i < charts.lanes.count && !err; i++) { /* each lane has its curves then */
        charts.lanes.items[i].lines = charts.curves.items[i].lines.items;
        charts.lanes.items[i].line_count = charts.curves.items[i].lines.count;
        lines += charts.curves.items[i].lines.count;
    }
    if (!err && lines == 0)
        err = -ENODATA;
    svg_raw(&title, titles[picture]);
    svg_raw(&title, answer->bandwidth->run->path);
    svg_bytes(&title, "", 1);
    if (!err && !title.failed) {
        struct line_chart const chart = {.title = title.data,
                                         .subtitle = "one line per node",
                                         .x_is_time = true,
                                         .lanes = charts.lanes.items,
                                         .lane_count = charts.lanes.count};
        line_chart_render(&chart, out);
        err = out->failed ? -ENOMEM : 0;
    }
    svg_out_fini(&title);
    charts_fini(&charts);
    return err;
}
