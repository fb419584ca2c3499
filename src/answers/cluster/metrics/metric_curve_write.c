/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "cluster/bandwidth/bandwidth_write.h"
#include "cluster/metrics/metric_write.h"

#define NAME_COLUMNS 50

static const char *mode_name(enum curve_mode mode)
{
    static const char *const names[] = {"usual", "value", "rate", "delta", "quantile"};
    return names[mode];
}

static void write_csv(const struct metric_curves *curves, const struct run *run, FILE *out)
{
    char when[TRAFFIC_TIME_MAX];
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "time,node,label,metric,labels,kind,value");
    vec_each (curve, &curves->curves)
        vec_each (point, &curve->points) {
            if (isnan(point->y))
                continue;
            csv_text(&csv, traffic_time(point->x, when));
            csv_text(&csv, run->nodes.items[curve->node].name);
            csv_text(&csv, curve->label);
            csv_text(&csv, curve->metric);
            csv_text(&csv, curve->labels);
            csv_text(&csv, mode_name(curve->mode));
            csv_real(&csv, point->y, 17);
            csv_end_row(&csv);
        }
}

static void write_json(const struct metric_curves *curves, const struct run *run, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "run", run->path);
    json_key(&json, "curves");
    json_array_begin(&json);
    vec_each (curve, &curves->curves) {
        json_object_begin(&json);
        json_text_field(&json, "metric", curve->metric);
        json_text_field(&json, "labels", curve->labels);
        json_text_field(&json, "node", run->nodes.items[curve->node].name);
        json_text_field(&json, "label", curve->label);
        json_text_field(&json, "kind", mode_name(curve->mode));
        json_key(&json, "points");
        json_array_begin_inline(&json);
        vec_each (point, &curve->points) {
            json_array_begin(&json);
            json_int(&json, point->x);
            json_real(&json, point->y); /* a gap is null */
            json_array_end(&json);
        }
        json_array_end(&json);
        json_object_end(&json);
    }
    json_array_end(&json);
    json_object_end(&json);
    (void)json_finish(&json);
}

struct metric_span {
    double min, max, sum, last;
    size_t count, missing;
};

static struct metric_span span_of(const struct metric_curve *curve)
{
    struct metric_span span = {.min = NAN, .max = NAN, .last = NAN};
    vec_each (point, &curve->points) {
        if (isnan(point->y)) {
            span.missing += point->x > curve->begin_us; /* the first has no rate */
            continue;
        }
        span.min = fmin(span.min, point->y);
        span.max = fmax(span.max, point->y);
        span.sum += point->y;
        span.last = point->y;
        span.count++;
    }
    return span;
}

static void put_row(const struct metric_curve *curve, const struct run *run,
                    const struct text_style *style, FILE *out)
{
    struct metric_span const span = span_of(curve);
    char texts[4][CHART_NUMBER_MAX];
    double const numbers[] = {span.min, span.count ? span.sum / (double)span.count : NAN, span.max,
                              span.last};
    for (int i = 0; i < 4; i++)
        fprintf(out, "%13s", chart_number(numbers[i], curve->unit, texts[i]));
    fprintf(out, " %6zu %5zu  ", span.count, span.missing);
    size_t used = 68;
    if (curve->label[0]) {
        used += text_write(out, curve->label, 40) + 1;
        putc(' ', out);
    }
    used += text_write(out, run->nodes.items[curve->node].name, 80) + 1;
    putc(' ', out);
    text_write(out, curve->labels, text_room(style, used));
    putc('\n', out);
}

/* Nodes may disagree about what a metric is: rates and levels are never in one table or chart. */
static bool begins_lane(const struct metric_curve *last, const struct metric_curve *curve)
{
    return !last || last->mode != curve->mode || strcmp(last->metric, curve->metric) != 0;
}

void metric_curves_write(const struct metric_curves *curves, const struct run *run,
                         enum metric_form form, const struct text_style *style, FILE *out)
{
    const struct metric_curve *last = NULL;
    if (form == METRIC_CSV)
        write_csv(curves, run, out);
    else if (form == METRIC_JSON)
        write_json(curves, run, out);
    for (size_t i = 0; form == METRIC_TEXT && i < curves->curves.count; i++) {
        const struct metric_curve *curve = &curves->curves.items[i];
        if (begins_lane(last, curve)) {
            text_ink(style, out, INK_STRONG);
            fputs(last ? "\n" : "", out);
            text_write(out, curve->metric, 200);
            text_ink(style, out, INK_DIM);
            fprintf(out, " (%s)\n%13s%13s%13s%13s %6s %5s  node\n", mode_name(curve->mode), "least",
                    "mean", "most", "last", "points", "gaps");
            text_ink(style, out, INK_PLAIN);
        }
        last = curve;
        put_row(curve, run, style, out);
    }
}

/* "relay r1 {a="b"}". */
static char *line_name(const struct metric_curve *curve, const struct run *run)
{
    char *name = NULL;
    return asprintf(&name, "%s%s%s%s%s", curve->label, curve->label[0] ? " " : "",
                    run->nodes.items[curve->node].name, curve->labels[0] ? " " : "",
                    curve->labels) < 0
               ? NULL
               : name;
}

static char *lane_title(const struct metric_curve *curve)
{
    char *title = NULL;
    const char *what = curve->mode == CURVE_RATE       ? " per second"
                       : curve->mode == CURVE_DELTA    ? ", gained"
                       : curve->mode == CURVE_QUANTILE ? ", quantile"
                                                       : "";
    return asprintf(&title, "%s%s", curve->metric, what) < 0 ? NULL : title;
}

struct picture {
    VEC(struct chart_line) lines; /* of all lanes */
    VEC(struct chart_lane) lanes;
};

/* The points, with a gap before each life of the node but its first.  0 or -ENOMEM. */
static int add_points(const struct metric_curve *curve, struct chart_line *line)
{
    VEC(struct chart_point) points = {0};
    if (!vec_reserve(&points, curve->points.count + curve->lives.count + 1))
        return -ENOMEM;
    size_t next = 0;
    vec_each (point, &curve->points) {
        bool is_begin = false;
        for (; next < curve->lives.count && curve->lives.items[next] <= point->x; next++)
            is_begin = true;
        if (is_begin)
            vec_push(&points, (struct chart_point){point->x, NAN}); /* room was made */
        vec_push(&points, *point);
    }
    line->points = points.items;
    line->count = points.count;
    return 0;
}

static int fill_picture(const struct metric_curves *curves, const struct run *run,
                        struct picture *picture)
{
    if (!vec_reserve(&picture->lines, curves->curves.count + 1))
        return -ENOMEM;
    const struct metric_curve *last = NULL;
    vec_each (curve, &curves->curves) {
        bool const is_new = begins_lane(last, curve);
        struct chart_lane const lane = {.title = is_new ? lane_title(curve) : NULL,
                                        .unit = curve->unit,
                                        .lines = picture->lines.items + picture->lines.count};
        if (is_new && (!lane.title || !vec_push(&picture->lanes, lane)))
            return -ENOMEM;
        last = curve;
        struct chart_line line = {.name = line_name(curve, run),
                                  /* a node has its colour in every chart */
                                  .color = curve->labels[0] ? -1 : (int)(curve->node % 16)};
        int const err = line.name ? add_points(curve, &line) : -ENOMEM;
        vec_push(&picture->lines, line); /* room was made */
        if (err)
            return err;
        picture->lanes.items[picture->lanes.count - 1].line_count++;
    }
    return 0;
}

int metric_curves_draw(const struct metric_curves *curves, const struct run *run,
                       struct svg_out *out)
{
    struct picture picture = {0};
    char *title = NULL;
    int err = curves->curves.count ? fill_picture(curves, run, &picture) : -ENODATA;
    if (!err && asprintf(&title, "Metrics of %s", run->path) < 0)
        err = -ENOMEM;
    if (!err) {
        struct line_chart const chart = {.title = title,
                                         .subtitle = "one line per node and set of labels",
                                         .x_is_time = true,
                                         .lanes = picture.lanes.items,
                                         .lane_count = picture.lanes.count};
        line_chart_render(&chart, out);
        err = out->failed ? -ENOMEM : 0;
        free(title);
    }
    vec_each (line, &picture.lines) {
        free((char *)line->name);
        free((void *)line->points);
    }
    vec_each (lane, &picture.lanes)
        free((char *)lane->title);
    vec_free(&picture.lines);
    vec_free(&picture.lanes);
    return err;
}
