/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/ram/ram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/ram/ram_parts.h"

void ram_fini(struct ram *ram)
{
    vec_each (column, &ram->columns)
        free(*column);
    vec_free(&ram->columns);
    vec_free(&ram->nodes);
    vec_free(&ram->stamps);
    free(ram->values);
    free(ram->rounds);
    free(ram->restarts);
    ram->restarts = NULL;
    ram->values = ram->rounds = NULL;
}

int64_t *ram_place(const struct ram *ram, size_t node, size_t column, size_t stamp)
{
    return &ram->values[(node * ram->columns.count + column) * ram->stamps.count + stamp];
}

int64_t ram_value(const struct ram *ram, size_t node, size_t column, size_t stamp)
{
    return *ram_place(ram, node, column, stamp);
}

int64_t ram_round(const struct ram *ram, size_t node, size_t stamp)
{
    return ram->rounds[node * ram->stamps.count + stamp];
}

bool ram_is_restart(const struct ram *ram, size_t node, size_t stamp)
{
    return ram->restarts[node * ram->stamps.count + stamp];
}

int64_t ram_round_of_all(const struct ram *ram, size_t stamp)
{
    int64_t highest = RAM_NONE;
    for (size_t node = 0; node < ram->nodes.count; node++)
        if (ram_round(ram, node, stamp) > highest)
            highest = ram_round(ram, node, stamp);
    return highest;
}

int64_t ram_column(const struct ram *ram, const char *name)
{
    for (size_t i = 0; i < ram->columns.count; i++)
        if (strcmp(ram->columns.items[i], name) == 0)
            return (int64_t)i;
    return -1;
}

const struct run_node *ram_node(const struct ram *ram, size_t node)
{
    return &ram->run->nodes.items[ram->nodes.items[node]];
}

const char *ram_node_label(const struct ram *ram, size_t node)
{
    const struct run_node *it = ram_node(ram, node);
    bool const is_double =
        (node > 0 && strcmp(ram_node(ram, node - 1)->name, it->name) == 0) ||
        (node + 1 < ram->nodes.count && strcmp(ram_node(ram, node + 1)->name, it->name) == 0);
    return is_double ? it->nick : it->name;
}

static int choose_nodes(struct ram *ram, const struct pattern *wanted, struct fault *fault)
{
    for (uint32_t i = 0; i < ram->run->nodes.count; i++) {
        const struct run_node *node = &ram->run->nodes.items[i];
        if (wanted && !pattern_matches(wanted, slice_of(node->name)) &&
            !pattern_matches(wanted, slice_of(node->nick)))
            continue;
        if (!vec_push(&ram->nodes, i))
            return fault_set(fault, -ENOMEM, "out of memory");
    }
    int const err = wanted ? pattern_check(wanted, fault) : 0;
    if (err)
        return err;
    if (ram->nodes.count == 0)
        return fault_set(fault, -EINVAL, "no node of %s matches; %s is one that is there",
                         ram->run->path, ram->run->nodes.items[0].name);
    return 0;
}

static int stamp_order(const void *left, const void *right)
{
    int64_t const *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static void sort_stamps(struct ram *ram)
{
    size_t kept = 0;
    if (ram->stamps.count == 0)
        return;
    qsort(ram->stamps.items, ram->stamps.count, sizeof(ram->stamps.items[0]), stamp_order);
    for (size_t i = 0; i < ram->stamps.count; i++)
        if (i == 0 || ram->stamps.items[i] != ram->stamps.items[kept - 1])
            ram->stamps.items[kept++] = ram->stamps.items[i];
    ram->stamps.count = kept;
}

int64_t ram_stamp_find(const struct ram *ram, int64_t stamp_us)
{
    const int64_t *found = ram->stamps.count
                               ? bsearch(&stamp_us, ram->stamps.items, ram->stamps.count,
                                         sizeof(stamp_us), stamp_order)
                               : NULL;
    return found ? found - ram->stamps.items : -1;
}

/* The rows: when there was a heap, a metric or a size of any node asked for. */
static int gather_stamps(struct ram *ram, const struct ram_sizes *sizes)
{
    static const enum run_kind kinds[] = {RUN_HEAP, RUN_METRICS};
    vec_each (node, &ram->nodes)
        for (size_t k = 0; k < 2; k++) {
            const struct run_file *first;
            size_t const count = run_files_of(ram->run, *node, kinds[k], &first);
            for (size_t i = 0; i < count; i++)
                if (!vec_push(&ram->stamps, first[i].stamp_us))
                    return -ENOMEM;
        }
    vec_each (point, &sizes->points)
        if (!vec_push(&ram->stamps, point->line.stamp_us))
            return -ENOMEM;
    sort_stamps(ram);
    return 0;
}

static int make_table(struct ram *ram)
{
    size_t const cells = ram->nodes.count * ram->stamps.count;
    ram->values = calloc(cells * ram->columns.count + 1, sizeof(*ram->values));
    ram->rounds = calloc(cells + 1, sizeof(*ram->rounds));
    ram->restarts = calloc(cells + 1, sizeof(*ram->restarts));
    if (!ram->values || !ram->rounds || !ram->restarts)
        return -ENOMEM;
    for (size_t i = 0; i < cells * ram->columns.count; i++)
        ram->values[i] = RAM_NONE;
    for (size_t i = 0; i < cells; i++)
        ram->rounds[i] = RAM_NONE;
    return 0;
}

static int fill(struct ram *ram, struct ram_sizes *sizes, struct fault *fault)
{
    struct ram_metrics metrics = {0};
    int err = ram_read_sizes(ram, sizes);
    if (!err)
        err = gather_stamps(ram, sizes);
    if (!err && ram->stamps.count == 0)
        return fault_set(fault, -ENODATA,
                         "%s has neither heap profiles nor metrics nor sizes of these nodes",
                         ram->run->path);
    if (!err)
        err = ram_read_metrics(ram, &metrics, fault);
    if (!err)
        err = ram_make_columns(ram, &metrics, sizes);
    if (!err)
        err = make_table(ram);
    if (!err)
        err = ram_fill_heaps(ram, fault);
    if (!err) {
        ram_fill_metrics(ram, &metrics);
        ram_fill_sizes(ram, sizes);
        ram_fill_rounds(ram);
    }
    ram_metrics_fini(&metrics);
    return err;
}

int ram_read(struct ram *ram, const struct run *run, const struct pattern *nodes,
             struct fault *fault)
{
    struct ram_sizes sizes = {0};
    *ram = (struct ram){.run = run};
    int err = choose_nodes(ram, nodes, fault);
    if (!err)
        err = fill(ram, &sizes, fault);
    vec_free(&sizes.points);
    if (err == -ENOMEM)
        fault_set(fault, err, "out of memory");
    return err;
}
