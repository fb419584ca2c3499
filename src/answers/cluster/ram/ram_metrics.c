/* SPDX-License-Identifier: Apache-2.0 */
/* ram_metrics.c - numbers that runtimes count themselves: the metrics that the manifest names for a
 * class of nodes, else those of algod and of Go's usual library. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/ram/ram_parts.h"

/* Of runs whose manifest says nothing.  The first that a node has is taken. */
static const struct {
    const char *column, *metric;
} usual[] = {
    {"inuse", "algod_go_memory_classes_heap_objects_bytes"},
    {"total", "algod_go_memory_classes_total_bytes"},
    {"free", "algod_go_memory_classes_heap_free_bytes"},
    {"released", "algod_go_memory_classes_heap_released_bytes"},
    {NULL, "algod_ledger_round"},
    {"inuse", "go_memory_classes_heap_objects_bytes"},
    {"total", "go_memory_classes_total_bytes"},
    {"free", "go_memory_classes_heap_free_bytes"},
    {"released", "go_memory_classes_heap_released_bytes"},
    {"inuse", "go_memstats_heap_alloc_bytes"},
    {"total", "go_memstats_sys_bytes"},
    {"idle", "go_memstats_heap_idle_bytes"},
    {"released", "go_memstats_heap_released_bytes"},
    {"rss", "process_resident_memory_bytes"},
};

static int want(struct ram_metrics *metrics, struct ram_metric metric)
{
    bool is_known = false;
    vec_each (name, &metrics->names)
        is_known |= strcmp(*name, metric.metric) == 0;
    if (!is_known && !vec_push(&metrics->names, metric.metric))
        return -ENOMEM;
    return vec_push(&metrics->wanted, metric) ? 0 : -ENOMEM;
}

static int want_usual(struct ram_metrics *metrics, uint32_t node)
{
    int err = 0;
    for (unsigned i = 0; i < sizeof(usual) / sizeof(usual[0]) && !err; i++)
        err = want(metrics,
                   (struct ram_metric){.node = node,
                                       .column = usual[i].column,
                                       .column_size = usual[i].column ? strlen(usual[i].column) : 0,
                                       .metric = usual[i].metric,
                                       .rank = i});
    return err;
}

/* "column=metric" of the class. */
static int want_told(struct ram_metrics *metrics, uint32_t node, const struct run_class *class)
{
    int err = 0;
    unsigned rank = 0;
    vec_each (text, &class->heap_metrics) {
        const char *equals = strchr(*text, '=');
        if (equals && equals > *text && equals[1] && !err)
            err = want(metrics, (struct ram_metric){.node = node,
                                                    .column = *text,
                                                    .column_size = (size_t)(equals - *text),
                                                    .metric = equals + 1,
                                                    .rank = rank++});
    }
    if (class->height && !err)
        err = want(metrics, (struct ram_metric){.node = node, .metric = class->height});
    return err;
}

static bool is_wanted(void *context, const struct exposition_series *series)
{
    const struct ram_metrics *metrics = context;
    vec_each (name, &metrics->names)
        if (strcmp(*name, series->name) == 0)
            return true;
    return false;
}

int ram_read_metrics(struct ram *ram, struct ram_metrics *metrics, struct fault *fault)
{
    int err = 0;
    for (uint32_t i = 0; i < ram->nodes.count && !err; i++) {
        const struct run_class *class = run_class_of(ram->run, ram->nodes.items[i]);
        err = class && class->heap_metrics.count > 0 ? want_told(metrics, i, class)
                                                     : want_usual(metrics, i);
    }
    if (!err)
        err = series_read(&metrics->set, ram->run, is_wanted, metrics, fault);
    metrics->is_read = !err;
    return err;
}

void ram_metrics_fini(struct ram_metrics *metrics)
{
    if (metrics->is_read)
        series_fini(&metrics->set);
    vec_free(&metrics->wanted);
    vec_free(&metrics->names);
}

static bool has_column(const struct ram *ram, const char *name, size_t size)
{
    vec_each (column, &ram->columns)
        if (strlen(*column) == size && memcmp(*column, name, size) == 0)
            return true;
    return false;
}

static int add_column(struct ram *ram, const char *name, size_t size)
{
    if (has_column(ram, name, size))
        return 0;
    char *copy = strndup(name, size);
    if (copy && vec_push(&ram->columns, copy))
        return 0;
    free(copy);
    return -ENOMEM;
}

/* The first series of a metric of a node; NULL: it has none.  With labels there may be several:
 * those are added up elsewhere, never here. */
static const struct series *series_of(const struct ram *ram, const struct ram_metrics *metrics,
                                      const struct ram_metric *metric)
{
    size_t count;
    const uint32_t *own = series_of_node(&metrics->set, ram->nodes.items[metric->node], &count);
    for (size_t i = 0; i < count; i++) {
        const struct series *series = &metrics->set.series.items[own[i]];
        if (series->is->label_count == 0 && strcmp(series->is->name, metric->metric) == 0)
            return series;
    }
    return NULL;
}

/* Columns that some node has, the usual ones first and in their order. */
int ram_make_columns(struct ram *ram, const struct ram_metrics *metrics,
                     const struct ram_sizes *sizes)
{
    static const char *const order[] = {"inuse", "total", "free", "idle", "released"};
    int err = add_column(ram, "pprof_inuse_space", strlen("pprof_inuse_space"));
    bool has_rss = sizes->has_rss, has_some[5] = {false};
    vec_each (metric, &metrics->wanted) {
        if (!metric->column || !series_of(ram, metrics, metric))
            continue;
        for (size_t i = 0; i < 5; i++)
            has_some[i] |= strlen(order[i]) == metric->column_size &&
                           memcmp(order[i], metric->column, metric->column_size) == 0;
        has_rss |= metric->column_size == 3 && memcmp(metric->column, "rss", 3) == 0;
    }
    for (size_t i = 0; i < 5 && !err; i++)
        if (has_some[i])
            err = add_column(ram, order[i], strlen(order[i]));
    vec_each (metric, &metrics->wanted)
        if (!err && metric->column && strncmp(metric->column, "rss", metric->column_size) != 0 &&
            series_of(ram, metrics, metric))
            err = add_column(ram, metric->column, metric->column_size);
    if (!err && has_rss)
        err = add_column(ram, "rss", 3);
    if (!err && sizes->has_vsz)
        err = add_column(ram, "vsz", 3);
    if (!err && sizes->has_pss)
        err = add_column(ram, "pss", 3);
    if (!err && sizes->has_swap)
        err = add_column(ram, "swap", 4);
    return err;
}

static int64_t whole(struct series_point point)
{
    double const value = series_value(point);
    if (point.is_whole)
        return point.whole <= INT64_MAX ? (int64_t)point.whole : RAM_NONE;
    return isfinite(value) && fabs(value) < 9e18 ? llround(value) : RAM_NONE;
}

static void fill_one(struct ram *ram, const struct ram_metrics *metrics,
                     const struct ram_metric *metric, int64_t column)
{
    const struct series *series = series_of(ram, metrics, metric);
    if (!series)
        return;
    vec_each (point, &series->points) {
        const struct run_file *file = metrics->set.scrapes.items[point->scrape].file;
        int64_t const stamp = ram_stamp_find(ram, file->stamp_us);
        if (stamp < 0)
            continue;
        int64_t *place = column < 0 ? &ram->rounds[metric->node * ram->stamps.count + (size_t)stamp]
                                    : ram_place(ram, metric->node, (size_t)column, (size_t)stamp);
        if (*place == RAM_NONE)
            *place = whole(*point);
    }
}

static void mark_restarts(struct ram *ram, const struct ram_metrics *metrics)
{
    for (size_t node = 0; node < ram->nodes.count; node++) {
        uint32_t first;
        uint32_t const count = series_scrapes_of(&metrics->set, ram->nodes.items[node], &first);
        for (uint32_t i = first; i < first + count; i++) {
            const struct scrape *scrape = &metrics->set.scrapes.items[i];
            int64_t const stamp = ram_stamp_find(ram, scrape->file->stamp_us);
            if (scrape->is_restart && stamp >= 0)
                ram->restarts[node * ram->stamps.count + (size_t)stamp] = true;
        }
    }
}

void ram_fill_metrics(struct ram *ram, const struct ram_metrics *metrics)
{
    mark_restarts(ram, metrics);
    vec_each (metric, &metrics->wanted) { /* in order of rank: the first one stays */
        char name[256];
        if (!metric->column) {
            fill_one(ram, metrics, metric, -1);
        } else if (metric->column_size < sizeof(name)) {
            memcpy(name, metric->column, metric->column_size);
            name[metric->column_size] = '\0';
            int64_t const column = ram_column(ram, name);
            if (column >= 0)
                fill_one(ram, metrics, metric, column);
        }
    }
}
