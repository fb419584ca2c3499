/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/side_parts.h"
#include "base/hash.h"

static uint64_t hash_node(uint32_t parent, string_id function, string_id module)
{
    return hash_mix(((uint64_t)parent << 32 | function) ^ hash_mix((uint64_t)module + 1));
}

static int grow(struct side_builder *builder)
{
    size_t const room = builder->slots ? 2 * (builder->mask + 1) : 1024;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    for (uint32_t i = 1; i < builder->sides->tree.count; i++) {
        const struct side_node *node = &builder->sides->tree.items[i];
        size_t at = hash_node(node->parent, node->function, node->module) & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = i;
    }
    free(builder->slots);
    builder->slots = slots;
    builder->mask = room - 1;
    return 0;
}

static int find_node(struct side_builder *builder, uint32_t parent, const struct call_node *wanted,
                     uint32_t *index)
{
    struct side_by_side *sides = builder->sides;
    if ((!builder->slots || 2 * sides->tree.count > builder->mask) && grow(builder) < 0)
        return -ENOMEM;
    size_t at = hash_node(parent, wanted->function, wanted->module) & builder->mask;
    for (; builder->slots[at]; at = (at + 1) & builder->mask) {
        const struct side_node *node = &sides->tree.items[builder->slots[at]];
        if (node->parent == parent && node->function == wanted->function &&
            node->module == wanted->module) {
            *index = builder->slots[at];
            return 0;
        }
    }
    if (sides->tree.count >= UINT32_MAX ||
        !vec_push(&sides->tree, (struct side_node){.function = wanted->function,
                                                   .module = wanted->module,
                                                   .parent = parent}))
        return -ENOMEM;
    *index = builder->slots[at] = (uint32_t)sides->tree.count - 1;
    return 0;
}

int side_tree_add(struct side_builder *builder, const struct call_tree *tree, unsigned metric)
{
    struct side_by_side *sides = builder->sides;
    uint32_t *places = calloc(tree->nodes.count + 1, sizeof(*places));
    int err = places ? 0 : -ENOMEM;
    if (!err && sides->tree.count == 0)
        err = vec_push(&sides->tree, (struct side_node){0}) ? 0 : -ENOMEM;
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
    free(builder->slots);
}

struct order {
    const struct side_by_side *sides;
    const struct recording *recording;
};

static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct order *order = context;
    const struct side_node *a = &order->sides->tree.items[*(const uint32_t *)left];
    const struct side_node *b = &order->sides->tree.items[*(const uint32_t *)right];
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int const by_size = side_compare(&order->sides->question, a->values, b->values, false);
    return by_size ? by_size
                   : strcmp(recording_text(order->recording, a->function),
                            recording_text(order->recording, b->function));
}

int side_tree_link(struct side_by_side *sides, const struct recording *recording)
{
    size_t const count = sides->tree.count ? sides->tree.count - 1 : 0; /* without the root */
    struct order order = {sides, recording};
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
