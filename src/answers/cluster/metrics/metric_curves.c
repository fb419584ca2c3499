/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/metric_curves.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct metric_making {
    struct metric_curves *curves;
    const struct series_set *set;
    const struct curve_question *question;
    const struct node_groups *groups;
    size_t first; /* curve of the name at hand */
};

/* `{a="b",c="d"}` without the label `leave_out`. */
static char *labels_text(const struct exposition_series *series, const char *leave_out)
{
    char *text = NULL;
    size_t size = 0, shown = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (uint32_t i = 0; i < series->label_count; i++)
        if (!leave_out || strcmp(series->labels[i].name, leave_out) != 0)
            fprintf(out, "%s%s=\"%s\"", shown++ ? "," : "{", series->labels[i].name,
                    series->labels[i].value);
    if (shown)
        fputc('}', out);
    return fclose(out) == 0 ? text : NULL;
}

static const char *unit_of(const char *name, enum curve_mode mode)
{
    bool const is_bytes = strstr(name, "_bytes") != NULL;
    bool const is_seconds = strstr(name, "_seconds") != NULL;
    if (mode == CURVE_RATE)
        return is_bytes ? "bytes/s" : is_seconds ? "s/s" : "/s";
    return is_bytes ? "bytes" : is_seconds ? "s" : "";
}

/* Counters as rates, unless something else was asked for. */
static int mode_of(const struct metric_making *making, const struct series *series,
                   struct fault *fault)
{
    enum curve_mode const mode = making->question->mode;
    if (mode == CURVE_USUAL)
        return series->is_cumulative && !making->question->is_difference ? CURVE_RATE : CURVE_RAW;
    bool const is_gauge = !series->is_cumulative && series->family->type != EXPOSITION_UNKNOWN;
    if ((mode == CURVE_RATE || mode == CURVE_DELTA) && is_gauge)
        return fault_set(fault, -ENODATA,
                         "%s is a %s: only counters have a rate; without --rate and --delta it is "
                         "shown as it is",
                         series->is->name, exposition_type_name(series->family->type));
    return (int)mode;
}

static void curve_fini(struct metric_curve *curve)
{
    free(curve->labels);
    vec_free(&curve->points);
    vec_free(&curve->lives);
}

static int64_t begin_of(const struct metric_making *making, const struct series *series)
{
    return series->points.count ? making->set->scrapes.items[series->points.items[0].scrape].time_us
                                : INT64_MAX;
}

/* A curve of all answers of the node, with no number yet.  Takes `labels`. */
static struct metric_curve *new_curve(struct metric_making *making, const struct series *series,
                                      enum curve_mode mode, char *labels)
{
    const struct node_group *group = node_group_of(making->groups, series->node);
    struct metric_curve curve = {.node = series->node,
                                 .label = group ? group->label : "",
                                 .metric = series->is->name,
                                 .labels = labels,
                                 .unit = unit_of(series->is->name, mode),
                                 .mode = mode,
                                 .begin_us = begin_of(making, series)};
    uint32_t first;
    uint32_t const count = series_scrapes_of(making->set, series->node, &first);
    bool fits = labels != NULL;
    for (uint32_t i = 0; fits && i < count; i++) {
        const struct scrape *scrape = &making->set->scrapes.items[first + i];
        fits = vec_push(&curve.points, (struct chart_point){scrape->time_us, NAN}) &&
               (!scrape->is_restart || vec_push(&curve.lives, scrape->time_us));
    }
    if (!fits || !vec_push(&making->curves->curves, curve)) {
        curve_fini(&curve);
        return NULL;
    }
    return &making->curves->curves.items[making->curves->curves.count - 1];
}

static struct metric_curve *find_curve(const struct metric_making *making, uint32_t node,
                                       const char *labels)
{
    struct metric_curves *curves = making->curves;
    for (size_t i = making->first; i < curves->curves.count; i++)
        if (curves->curves.items[i].node == node &&
            strcmp(curves->curves.items[i].labels, labels) == 0)
            return &curves->curves.items[i];
    return NULL;
}

static double value_at(const struct metric_making *making, const struct series *series, size_t at,
                       enum curve_mode mode)
{
    if (mode == CURVE_RAW)
        return series_value(series->points.items[at]);
    struct series_step const step = series_step(making->set, series, at);
    return mode == CURVE_DELTA ? step.increase
           : step.seconds > 0  ? step.increase / step.seconds
                               : NAN;
}

static int add_series(struct metric_making *making, const struct series *series,
                      struct fault *fault)
{
    int const mode = mode_of(making, series, fault);
    if (mode < 0)
        return mode;
    bool const is_sum = making->question->is_sum;
    struct metric_curve *curve = is_sum ? find_curve(making, series->node, "") : NULL;
    if (!curve)
        curve = new_curve(making, series, (enum curve_mode)mode,
                          is_sum ? strdup("") : labels_text(series->is, NULL));
    if (!curve)
        return fault_set(fault, -ENOMEM, "out of memory");
    int64_t const begin_us = begin_of(making, series);
    curve->begin_us = begin_us < curve->begin_us ? begin_us : curve->begin_us;
    uint32_t first;
    series_scrapes_of(making->set, series->node, &first);
    for (size_t at = 0; at < series->points.count; at++) {
        struct chart_point *point = &curve->points.items[series->points.items[at].scrape - first];
        double *into = &point->y;
        double const value = value_at(making, series, at, (enum curve_mode)mode);
        if (series->is_cumulative && series_step(making->set, series, at).is_reset &&
            !vec_push(&curve->lives, point->x))
            return fault_set(fault, -ENOMEM, "out of memory");
        *into = isnan(*into) ? value : isnan(value) ? *into : *into + value;
    }
    return 0;
}

static bool is_asked(const struct metric_making *making, const struct series *series)
{
    return node_group_of(making->groups, series->node) &&
           curve_question_fits(making->question, making->set, series);
}

/* Buckets of one histogram of one node, while its quantiles are worked out. */
struct bucket_row {
    double bound;
    const struct series *series;
    size_t next;
};
typedef VEC(struct bucket_row) bucket_rows;

static int bucket_order(const void *left, const void *right)
{
    const struct bucket_row *a = left, *b = right;
    return (a->bound > b->bound) - (a->bound < b->bound);
}

static void fill_quantiles(const struct metric_making *making, bucket_rows *rows,
                           struct metric_curve *curve)
{
    struct histogram_bucket *buckets = calloc(rows->count, sizeof(*buckets));
    uint32_t first;
    series_scrapes_of(making->set, curve->node, &first);
    for (size_t i = 0; buckets && i < curve->points.count; i++) {
        size_t used = 0;
        vec_each (row, rows) {
            const struct series *series = row->series;
            double gained = 0;
            while (row->next < series->points.count &&
                   series->points.items[row->next].scrape < first + i)
                row->next++;
            if (row->next < series->points.count &&
                series->points.items[row->next].scrape == first + i)
                gained = series_step(making->set, series, row->next).increase;
            gained = isnan(gained) ? 0 : gained;
            if (used && buckets[used - 1].bound == row->bound)
                buckets[used - 1].count += gained; /* several label sets, as one */
            else
                buckets[used++] = (struct histogram_bucket){row->bound, gained};
        }
        curve->points.items[i].y = histogram_quantile(buckets, used, making->question->quantile);
    }
    free(buckets);
}

/* All buckets that belong with series[at]: the same node, and labels but for le. */
static int add_quantile(struct metric_making *making, const struct series *series, size_t count,
                        size_t at)
{
    bucket_rows rows = {0};
    bool const is_sum = making->question->is_sum;
    char *labels = is_sum ? strdup("") : labels_text(series[at].is, "le");
    if (!labels || find_curve(making, series[at].node, labels)) {
        free(labels);
        return labels ? 0 : -ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (series[i].node != series[at].node)
            continue;
        const char *bound = exposition_label_of(series[i].is, "le");
        char *others = is_sum ? strdup("") : labels_text(series[i].is, "le");
        bool const belongs =
            bound && others && is_asked(making, &series[i]) && strcmp(others, labels) == 0;
        free(others);
        if (belongs && !vec_push(&rows, (struct bucket_row){strtod(bound, NULL), &series[i], 0})) {
            vec_free(&rows);
            free(labels);
            return -ENOMEM;
        }
    }
    struct metric_curve *curve = new_curve(making, &series[at], CURVE_QUANTILE, labels);
    if (curve && rows.count) {
        qsort(rows.items, rows.count, sizeof(rows.items[0]), bucket_order);
        fill_quantiles(making, &rows, curve);
    }
    vec_free(&rows);
    return curve ? 0 : -ENOMEM;
}

static int add_quantiles(struct metric_making *making, const char *name, struct fault *fault)
{
    char buckets[512];
    const struct series *series;
    size_t const size = strlen(name);
    bool const is_whole = size > 7 && strcmp(name + size - 7, "_bucket") == 0;
    snprintf(buckets, sizeof(buckets), "%s%s", name, is_whole ? "" : "_bucket");
    size_t const count = series_find(making->set, buckets, &series);
    if (count == 0)
        return fault_set(fault, -ENODATA, "%s is no histogram: there is no %s in this run", name,
                         buckets);
    for (size_t i = 0; i < count; i++)
        if (is_asked(making, &series[i]) && add_quantile(making, series, count, i) < 0)
            return fault_set(fault, -ENOMEM, "out of memory");
    return 0;
}

static int add_name(struct metric_making *making, const char *name, struct fault *fault)
{
    const struct series *series;
    making->first = making->curves->curves.count;
    if (making->question->mode == CURVE_QUANTILE)
        return add_quantiles(making, name, fault);
    size_t const count = series_find(making->set, name, &series);
    for (size_t i = 0; i < count; i++) {
        int const err = is_asked(making, &series[i]) ? add_series(making, &series[i], fault) : 0;
        if (err)
            return err;
    }
    return 0;
}

/* The first name's curves less the second's; where one is missing, so is the difference. */
static int subtract(struct metric_making *making, struct fault *fault)
{
    struct metric_curves *curves = making->curves;
    const struct curve_question *question = making->question;
    size_t second = 0, kept = 0;
    if (question->names.count != 2)
        return fault_set(fault, -EINVAL, "--diff needs two gauges: --diff A B");
    while (second < curves->curves.count &&
           strcmp(curves->curves.items[second].metric, question->names.items[0]) == 0)
        second++;
    snprintf(curves->difference, sizeof(curves->difference), "%.140s_-_%.140s",
             question->names.items[0], question->names.items[1]);
    making->first = second;
    for (size_t i = 0; i < curves->curves.count; i++) {
        struct metric_curve *curve = &curves->curves.items[i];
        struct metric_curve *other =
            i < second ? find_curve(making, curve->node, curve->labels) : NULL;
        for (size_t at = 0; other && at < curve->points.count; at++)
            curve->points.items[at].y -= other->points.items[at].y;
        curve->metric = curves->difference;
        making->first = second;
        if (other) {
            struct metric_curve const moved = curves->curves.items[kept];
            curves->curves.items[kept] = *curve;
            if (kept != i)
                curves->curves.items[i] = moved;
            kept++;
        }
    }
    for (size_t i = kept; i < curves->curves.count; i++)
        curve_fini(&curves->curves.items[i]);
    curves->curves.count = kept;
    return 0;
}

static int time_order(const void *left, const void *right)
{
    int64_t const *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

int metric_curves_make(struct metric_curves *curves, const struct series_set *set,
                       const struct curve_question *question, const struct node_groups *groups,
                       struct fault *fault)
{
    struct metric_making making = {curves, set, question, groups, 0};
    int err = 0;
    *curves = (struct metric_curves){.difference = ""};
    for (size_t i = 0; !err && i < question->names.count; i++)
        err = add_name(&making, question->names.items[i], fault);
    if (!err && question->is_difference)
        err = subtract(&making, fault);
    vec_each (curve, &curves->curves)
        if (curve->lives.count)
            qsort(curve->lives.items, curve->lives.count, sizeof(int64_t), time_order);
    if (!err && (err = metric_curves_add_gaps(curves, set)) != 0)
        fault_set(fault, err, "out of memory");
    if (err)
        metric_curves_fini(curves);
    return err;
}

void metric_curves_fini(struct metric_curves *curves)
{
    vec_each (curve, &curves->curves)
        curve_fini(curve);
    vec_free(&curves->curves);
}
