/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/call_nodes.h"
#include "analyze/diff/side_parts.h"

static int find_node(struct side_builder *builder, uint32_t parent, const struct call_node *wanted,
                     uint32_t *number)
{
    struct side_by_side *sides = builder->sides;
    if (pair_index_find(&builder->index, parent, wanted->kind, number) < 0)
        return -ENOMEM;
    if (*number < sides->tree.count)
        return 0;
    struct side_node const node = {
        .function = wanted->function, .module = wanted->module, .parent = parent};
    return vec_push(&sides->tree, node) ? 0 : -ENOMEM;
}

static int begin_tree(struct side_builder *builder)
{
    uint32_t root;
    int const err = pair_index_find(&builder->index, 0, UINT32_MAX, &root);
    return !err && vec_push(&builder->sides->tree, (struct side_node){0}) ? 0 : -ENOMEM;
}

int side_tree_add(struct side_builder *builder, const struct call_tree *tree, unsigned metric)
{
    struct side_by_side *sides = builder->sides;
    uint32_t *places = calloc(tree->nodes.count + 1, sizeof(*places));
    int err = places ? 0 : -ENOMEM;
    if (!err && sides->tree.count == 0)
        err = begin_tree(builder);
    for (uint32_t i = 0; i < tree->nodes.count && !err; i++) {
        const struct call_node *node = &tree->nodes.items[i];
        if (i > 0) /* a parent comes before its children */
            err = find_node(builder, places[node->parent], node, &places[i]);
        if (!err)
            sides->tree.items[places[i]].values[metric] =
                (struct side_value){node->self_value, node->self_count, node->value, node->count};
    }
    free(places);
    return err;
}

void side_builder_fini(struct side_builder *builder)
{
    pair_index_fini(&builder->index);
}

struct side_tree_order {
    const struct side_by_side *sides;
    const struct recording *recording;
};

static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct side_tree_order *order = context;
    const struct side_node *a = &order->sides->tree.items[*(const uint32_t *)left];
    const struct side_node *b = &order->sides->tree.items[*(const uint32_t *)right];
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int const by_size = side_compare(&order->sides->question, a->values, b->values, false);
    struct call_node const one = {.function = a->function, .module = a->module};
    struct call_node const other = {.function = b->function, .module = b->module};
    return by_size ? by_size : call_node_compare(order->recording, &one, &other);
}

int side_tree_link(struct side_by_side *sides, const struct recording *recording)
{
    size_t const count = sides->tree.count ? sides->tree.count - 1 : 0; /* without the root */
    struct side_tree_order order = {sides, recording};
    uint32_t *nodes = calloc(count + 1, sizeof(*nodes));
    if (!nodes)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        nodes[i] = (uint32_t)i + 1;
    qsort_r(nodes, count, sizeof(*nodes), compare_siblings, &order);
    for (size_t i = count; i-- > 0;) {
        struct side_node *node = &sides->tree.items[nodes[i]];
        node->next_sibling = sides->tree.items[node->parent].first_child;
        sides->tree.items[node->parent].first_child = nodes[i];
    }
    free(nodes);
    return 0;
}
