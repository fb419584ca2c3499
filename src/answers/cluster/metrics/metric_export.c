/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/metrics/metric_write.h"
#include "formats/metrics/openmetrics_writer.h"

struct item {
    struct openmetrics_family family;
    const struct series *series;
};
typedef VEC(struct item) item_list;

/* By family, then series, then node: nothing interleaves. */
static int item_order(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    int const order = strcmp(a->family.name, b->family.name);
    return order ? order : a->series < b->series ? -1 : a->series > b->series;
}

/* Counters x and x_total of one run would be the same: the first gets another name. */
static void keep_apart(const struct series_set *set, struct item *item)
{
    char total[sizeof(item->family.name) + 16];
    const struct series *other;
    const char *name = item->series->is->name;
    if (item->family.type != EXPOSITION_COUNTER || strcmp(item->family.name, name) != 0)
        return;
    snprintf(total, sizeof(total), "%s_total", name);
    if (series_find(set, total, &other) > 0)
        snprintf(item->family.name, sizeof(item->family.name), "%.480s_exported", name);
}

static int gather(const struct series_set *set, const struct curve_question *question,
                  const struct node_groups *groups, item_list *items)
{
    vec_each (series, &set->series) {
        struct item item = {.series = series};
        if (!node_group_of(groups, series->node) || !curve_question_fits(question, set, series))
            continue;
        openmetrics_family_of(series->family, series->is->name, &item.family);
        keep_apart(set, &item);
        if (!vec_push(items, item))
            return -ENOMEM;
    }
    if (items->count)
        qsort(items->items, items->count, sizeof(items->items[0]), item_order);
    return 0;
}

static void write_series(const struct series_set *set, const struct node_groups *groups,
                         const struct item *item, FILE *out)
{
    const struct run_node *node = &set->run->nodes.items[item->series->node];
    const struct node_group *group = node_group_of(groups, item->series->node);
    struct exposition_label labels[3] = {{"n", node->name}, {"role", node->role}};
    size_t count = node->role && *node->role ? 2 : 1;
    if (group->label[0])
        labels[count++] = (struct exposition_label){"group", group->label};
    struct openmetrics_sample sample = {
        .family = &item->family, .series = item->series->is, .more = labels, .more_count = count};
    vec_each (point, &item->series->points) {
        sample.value = (struct exposition_value){.real = series_value(*point),
                                                 .whole = point->is_whole ? point->whole : 0,
                                                 .is_whole = point->is_whole};
        sample.time_us = series_time(set, *point);
        openmetrics_sample_write(&sample, out);
    }
}

int metric_export_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, FILE *out)
{
    item_list items = {0};
    int err = gather(set, question, groups, &items);
    if (!err && items.count == 0)
        err = -ENODATA;
    for (size_t i = 0; !err && i < items.count; i++) {
        struct item *item = &items.items[i];
        bool const is_new = i == 0 || strcmp(item[-1].family.name, item->family.name) != 0;
        if (!is_new)
            item->family.type = item[-1].family.type; /* nodes may disagree about it */
        else
            openmetrics_family_write(&item->family, item->series->family->help, out);
        write_series(set, groups, item, out);
    }
    if (!err)
        openmetrics_end_write(out);
    vec_free(&items);
    return err;
}
