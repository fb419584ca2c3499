/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/metrics/series.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/metrics/series_parts.h"

static int add_scrapes(struct series_set *set)
{
    for (uint32_t node = 0; node < set->run->nodes.count; node++) {
        const struct run_file *files;
        size_t const count = run_files_of(set->run, node, RUN_METRICS, &files);
        bool is_timed = true; /* stamps and real times must not be mixed */
        for (size_t i = 0; i < count; i++)
            is_timed &= files[i].begin_us > 0 && files[i].end_us >= files[i].begin_us;
        for (size_t i = 0; i < count; i++) {
            int64_t const real = files[i].begin_us + (files[i].end_us - files[i].begin_us) / 2;
            struct scrape const scrape = {
                .file = &files[i], .time_us = is_timed ? real : files[i].stamp_us, .start_s = NAN};
            if (!vec_push(&set->scrapes, scrape))
                return -ENOMEM;
        }
    }
    return 0;
}

static int compare(const struct series *a, const struct series *b)
{
    int order = strcmp(a->is->name, b->is->name);
    if (order == 0) {
        size_t const size = a->is->identity.size < b->is->identity.size ? a->is->identity.size
                                                                        : b->is->identity.size;
        order = memcmp(a->is->identity.data, b->is->identity.data, size);
    }
    if (order == 0)
        order = a->is->identity.size < b->is->identity.size
                    ? -1
                    : a->is->identity.size > b->is->identity.size;
    return order;
}

static int series_order(const void *left, const void *right)
{
    const struct series *a = left, *b = right;
    int const order = compare(a, b);
    if (order)
        return order;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    uint32_t const at = a->points.items[0].scrape, bt = b->points.items[0].scrape;
    return at < bt ? -1 : at > bt;
}

/* One series of each reader, with its points. */
static int gather_part(struct series_set *set, struct series_part *part)
{
    if (!vec_push(&set->expositions, part->exposition))
        return -ENOMEM;
    struct exposition *exposition = part->exposition;
    part->exposition = NULL;
    for (uint32_t i = 0; i < part->columns.count; i++) {
        struct series_column *column = &part->columns.items[i];
        if (column->points.count == 0)
            continue;
        struct series series = {.node = part->node, .is = exposition_series(exposition, i)};
        series.family = exposition_family(exposition, series.is->family);
        series.points.items = column->points.items;
        series.points.count = column->points.count;
        series.points.room = column->points.room;
        if (!vec_push(&set->series, series))
            return -ENOMEM;
        memset(&column->points, 0, sizeof(column->points));
    }
    return 0;
}

/* Where two threads read answers of one node, a series lies there twice, the earlier part first. */
static int join_halves(struct series_set *set)
{
    size_t kept = 0;
    for (size_t i = 0; i < set->series.count; i++) {
        struct series *series = &set->series.items[i];
        struct series *last = kept ? &set->series.items[kept - 1] : NULL;
        if (!last || last->node != series->node || compare(last, series) != 0) {
            set->series.items[kept++] = *series;
            continue;
        }
        if (!vec_reserve(&last->points, series->points.count))
            return -ENOMEM;
        memcpy(last->points.items + last->points.count, series->points.items,
               series->points.count * sizeof(series->points.items[0]));
        last->points.count += series->points.count;
        vec_free(&series->points);
    }
    set->series.count = kept;
    return 0;
}

/* Counted, then put where their node begins: one pass each, in their order. */
static int index_by_node(struct series_set *set)
{
    size_t const nodes = set->run->nodes.count, count = set->series.count;
    if (!vec_reserve(&set->node_first, nodes + 2) || !vec_reserve(&set->by_node, count + 1))
        return -ENOMEM;
    uint32_t *first = set->node_first.items;
    memset(first, 0, (nodes + 2) * sizeof(*first));
    vec_each (series, &set->series)
        first[series->node + 2]++;
    for (size_t i = 2; i < nodes + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < count; i++)
        set->by_node.items[first[set->series.items[i].node + 1]++] = i;
    set->node_first.count = nodes + 1;
    set->by_node.count = count;
    return 0;
}

const uint32_t *series_of_node(const struct series_set *set, uint32_t node, size_t *count)
{
    uint32_t const first = set->node_first.items[node];
    *count = set->node_first.items[node + 1] - first;
    return set->by_node.items + first;
}

static void mark_restarts(struct series_set *set)
{
    const struct scrape *last = NULL;
    vec_each (scrape, &set->scrapes) {
        if (!scrape->is_read || isnan(scrape->start_s))
            continue;
        /* Some work it out anew each time, from clocks that differ a little. */
        scrape->is_restart = last && last->file->node == scrape->file->node &&
                             fabs(last->start_s - scrape->start_s) > 1.5;
        last = scrape;
    }
}

static void add_tally(struct series_set *set, const struct series_part *part)
{
    const struct exposition_tally *tally = exposition_tally(part->exposition);
    if (set->tally.bad_lines == 0 && tally->bad_lines) {
        memcpy(set->tally.first_bad_text, tally->first_bad_text, sizeof(tally->first_bad_text));
        set->tally.first_bad_line = tally->first_bad_line;
        set->bad_file = part->bad_file ? strdup(part->bad_file->name) : NULL;
    }
    set->tally.answers += tally->answers;
    set->tally.lines += tally->lines;
    set->tally.samples += tally->samples;
    set->tally.bad_lines += tally->bad_lines;
    set->tally.repeated += tally->repeated;
    set->tally.carriage_returns += tally->carriage_returns;
    set->tally.left_out += tally->left_out;
}

int series_read(struct series_set *set, const struct run *run, series_wanted_fn wanted,
                void *context, struct fault *fault)
{
    series_part_list parts = {0};
    *set = (struct series_set){.run = run};
    int err = add_scrapes(set);
    if (!err)
        err = series_read_parts(set, wanted, context, &parts);
    vec_each (part, &parts) {
        add_tally(set, part);
        if (!err)
            err = gather_part(set, part);
    }
    series_parts_fini(&parts);
    if (!err && set->series.count)
        qsort(set->series.items, set->series.count, sizeof(set->series.items[0]), series_order);
    if (!err)
        series_settle_types(set);
    if (!err)
        err = join_halves(set);
    if (!err)
        err = index_by_node(set);
    if (err) {
        series_fini(set);
        return fault_set(fault, err, "cannot read the metrics of %s: %s", run->path,
                         strerror(-err));
    }
    vec_each (scrape, &set->scrapes)
        set->unread_files += !scrape->is_read;
    mark_restarts(set);
    return 0;
}

void series_fini(struct series_set *set)
{
    vec_each (series, &set->series)
        vec_free(&series->points);
    vec_each (exposition, &set->expositions)
        exposition_destroy(*exposition);
    vec_free(&set->series);
    vec_free(&set->by_node);
    vec_free(&set->node_first);
    vec_free(&set->expositions);
    vec_free(&set->scrapes);
    free(set->bad_file);
    set->bad_file = NULL;
}

double series_value(struct series_point point)
{
    return point.is_whole ? (double)point.whole : point.real;
}

int64_t series_time(const struct series_set *set, struct series_point point)
{
    return set->scrapes.items[point.scrape].time_us;
}

uint32_t series_scrapes_of(const struct series_set *set, uint32_t node, uint32_t *first)
{
    *first = (uint32_t)vec_lower_bound(&set->scrapes, scrape, scrape->file->node < node);
    uint32_t end = *first;
    while (end < set->scrapes.count && set->scrapes.items[end].file->node == node)
        end++;
    return end - *first;
}

/* The answer of the node before this one; -1: there is none. */
static int64_t scrape_before(const struct series_set *set, uint32_t at)
{
    uint32_t const node = set->scrapes.items[at].file->node;
    while (at > 0 && set->scrapes.items[at - 1].file->node == node)
        if (set->scrapes.items[--at].is_read)
            return at;
    return -1;
}

static struct exposition_value whole_value(struct series_point point)
{
    return (struct exposition_value){.real = series_value(point),
                                     .whole = point.is_whole ? point.whole : 0,
                                     .is_whole = point.is_whole};
}

struct series_step series_step(const struct series_set *set, const struct series *series, size_t at)
{
    struct series_point const now = series->points.items[at];
    struct series_step step = {.increase = NAN};
    if (at == 0) {
        int64_t const before = scrape_before(set, now.scrape);
        if (before >= 0) {
            step.increase = series_value(now);
            step.seconds =
                (double)(series_time(set, now) - set->scrapes.items[before].time_us) / 1e6;
        }
        return step;
    }
    struct series_point const last = series->points.items[at - 1];
    step.seconds = (double)(series_time(set, now) - series_time(set, last)) / 1e6;
    step.increase = exposition_difference(whole_value(last), whole_value(now));
    for (uint32_t i = last.scrape + 1; i <= now.scrape; i++)
        step.is_reset |= set->scrapes.items[i].is_restart;
    step.is_reset |= step.increase < 0;
    if (step.is_reset)
        step.increase = series_value(now);
    return step;
}

size_t series_find(const struct series_set *set, const char *name, const struct series **first)
{
    size_t at = vec_lower_bound(&set->series, one, strcmp(one->is->name, name) < 0);
    *first = set->series.items + at;
    size_t end = at;
    while (end < set->series.count && strcmp(set->series.items[end].is->name, name) == 0)
        end++;
    return end - at;
}
