/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/rank.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_nodes.h"
#include "analyze/sites/rank_parts.h"
#include "base/invariant.h"

/* By rows as they were made; turn_leaves makes them rows as they are sorted. */
static int note_leaves(struct rank *rank, const uint32_t *row_of_node)
{
    size_t const count = rank->tree.leaves.count;
    rank->row_of_weight = calloc(count + 1, sizeof(uint32_t));
    if (!rank->row_of_weight)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        rank->row_of_weight[i] = row_of_node[rank->tree.leaves.items[i]];
    return 0;
}

static int turn_leaves(struct rank *rank, size_t weights)
{
    uint32_t *sorted = calloc(rank->rows.count + 1, sizeof(uint32_t));
    if (!sorted)
        return -ENOMEM;
    for (uint32_t i = 0; i < rank->rows.count; i++)
        sorted[rank->rows.items[i].made] = i;
    for (size_t i = 0; i < weights; i++)
        rank->row_of_weight[i] = sorted[rank->row_of_weight[i]];
    free(sorted);
    return 0;
}

static int list_stacks(struct rank *rank)
{
    uint32_t *row_of_node = calloc(rank->tree.nodes.count, sizeof(uint32_t));
    int err = row_of_node ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < rank->tree.nodes.count && !err; i++) {
        const struct call_node *node = &rank->tree.nodes.items[i];
        if (!node->self_value && !node->self_count)
            continue;
        row_of_node[i] = (uint32_t)rank->rows.count;
        INVARIANT(node->parent <= i);
        struct rank_row const row = {.function = i ? node->function : STRING_EMPTY,
                                     .module = node->module,
                                     .file = node->file,
                                     .line = node->line,
                                     .inlined = node->inlined,
                                     .node = i,
                                     .self_value = node->self_value,
                                     .self_count = node->self_count,
                                     .self_spread = node->self_spread,
                                     .total_value = node->self_value,
                                     .total_count = node->self_count,
                                     .total_spread = node->self_spread};
        err = vec_push(&rank->rows, row) ? 0 : -ENOMEM;
    }
    if (!err)
        err = note_leaves(rank, row_of_node);
    free(row_of_node);
    return err;
}

static int list_threads(const struct weights *weights, struct rank *rank)
{
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *weight = &weights->rows.items[i];
        if (!vec_push(&rank->rows, (struct rank_row){.thread = weight->key,
                                                     .self_value = weight->value,
                                                     .self_count = weight->count,
                                                     .self_spread = weight->spread,
                                                     .total_value = weight->value,
                                                     .total_count = weight->count,
                                                     .total_spread = weight->spread}))
            return -ENOMEM;
    }
    return 0;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_falling(int64_t a, int64_t b)
{
    return magnitude(a) == magnitude(b) ? 0 : magnitude(a) > magnitude(b) ? -1 : 1;
}

struct rank_order {
    const struct recording *recording;
    const struct rank *rank;
};

/* By names from the inside out.  Nodes have the order in which somebody happened to ask for
 * them: that may not show. */
static int compare_callers(const struct rank_order *order, uint32_t left, uint32_t right)
{
    const struct call_node *nodes = order->rank->tree.nodes.items;
    int by = 0;
    while (!by && left && right && left != right) {
        by = call_node_compare(order->recording, &nodes[left], &nodes[right]);
        left = nodes[left].parent;
        right = nodes[right].parent;
    }
    return by || left == right ? by : left ? 1 : -1;
}

static int compare_names(const struct rank_order *order, const struct rank_row *a,
                         const struct rank_row *b)
{
    struct call_node const left = {
        .function = a->function, .module = a->module, .file = a->file, .line = a->line};
    struct call_node const right = {
        .function = b->function, .module = b->module, .file = b->file, .line = b->line};
    int const by = call_node_compare(order->recording, &left, &right);
    return by || order->rank->by != BY_STACK ? by : compare_callers(order, a->node, b->node);
}

static int compare_rows(const void *left, const void *right, void *context)
{
    const struct rank_row *a = left, *b = right;
    int order = compare_falling(a->self_value, b->self_value);
    if (!order)
        order = compare_falling(a->total_value, b->total_value);
    if (!order)
        order = compare_falling(a->self_count, b->self_count);
    if (!order && a->self_value != b->self_value)
        order = a->self_value > b->self_value ? -1 : 1;
    if (!order)
        order = compare_names(context, a, b);
    if (!order)
        order = a->made < b->made ? -1 : 1;
    return order;
}

int rank_build(struct recording *recording, const struct weights *weights, enum grouping by,
               struct rank *rank)
{
    memset(rank, 0, sizeof(*rank));
    rank->by = by;
    int err;
    if (by == BY_THREAD) {
        err = list_threads(weights, rank);
    } else if (by == BY_STACK) {
        err = call_tree_build(recording, weights, false, MERGE_LINE, &rank->tree);
        if (!err)
            err = list_stacks(rank);
    } else {
        err = rank_list_kinds(recording, weights, rank);
    }
    if (!err) {
        for (uint32_t i = 0; i < rank->rows.count; i++)
            rank->rows.items[i].made = i;
        if (rank->rows.count)
            qsort_r(rank->rows.items, rank->rows.count, sizeof(rank->rows.items[0]), compare_rows,
                    &(struct rank_order){recording, rank});
        err = by == BY_THREAD ? 0 : turn_leaves(rank, weights->rows.count);
    }
    if (err)
        rank_fini(rank);
    return err;
}

void rank_fini(struct rank *rank)
{
    vec_free(&rank->rows);
    free(rank->row_of_weight);
    rank->row_of_weight = NULL;
    call_tree_fini(&rank->tree);
}
