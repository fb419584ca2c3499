/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

int call_nodes_begin(struct call_nodes *nodes, struct call_tree *tree, struct call_node root)
{
    uint32_t number;
    *nodes = (struct call_nodes){.tree = tree};
    *tree = (struct call_tree){.kind_count = 0};
    if (!vec_push(&tree->nodes, root))
        return -ENOMEM;
    return pair_index_find(&nodes->index, 0, UINT32_MAX, &number);
}

void call_node_blur(struct call_node *node, const struct shown_frame *frame)
{
    if (node->file != frame->file)
        node->file = STRING_EMPTY;
    if (node->line != frame->line || !node->file)
        node->line = 0;
    node->inlined = node->inlined && frame->inlined;
}

int call_nodes_find(struct call_nodes *nodes, uint32_t parent, const struct call_node *like,
                    uint32_t *child)
{
    INVARIANT(parent < nodes->tree->nodes.count);
    struct call_tree *tree = nodes->tree;
    if (pair_index_find(&nodes->index, parent, like->kind, child) < 0)
        return -ENOMEM;
    INVARIANT(*child > parent && *child <= tree->nodes.count);
    if (*child < tree->nodes.count) {
        struct shown_frame const frame = {like->function, like->module, like->file, like->line,
                                          like->inlined};
        call_node_blur(&tree->nodes.items[*child], &frame);
        return 0;
    }
    struct call_node const node = {.function = like->function,
                                   .module = like->module,
                                   .file = like->file,
                                   .line = like->line,
                                   .inlined = like->inlined,
                                   .kind = like->kind,
                                   .parent = parent};
    return vec_push(&tree->nodes, node) ? 0 : -ENOMEM;
}

void call_nodes_fini(struct call_nodes *nodes)
{
    pair_index_fini(&nodes->index);
}

void call_nodes_sum(struct call_tree *tree)
{
    for (size_t i = 0; i < tree->nodes.count; i++) {
        tree->nodes.items[i].value = tree->nodes.items[i].self_value;
        tree->nodes.items[i].count = tree->nodes.items[i].self_count;
    }
    for (size_t i = tree->nodes.count; i-- > 1;) {
        const struct call_node *node = &tree->nodes.items[i];
        INVARIANT(node->parent < i);
        struct call_node *parent = &tree->nodes.items[node->parent];
        parent->value = (int64_t)((uint64_t)parent->value + (uint64_t)node->value);
        parent->count = (int64_t)((uint64_t)parent->count + (uint64_t)node->count);
    }
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_texts(const struct recording *recording, string_id a, string_id b)
{
    return a == b ? 0 : strcmp(recording_text(recording, a), recording_text(recording, b));
}

int call_node_compare(const struct recording *recording, const struct call_node *a,
                      const struct call_node *b)
{
    int order = compare_texts(recording, a->function, b->function);
    if (!order)
        order = a->line < b->line ? -1 : a->line > b->line;
    if (!order)
        order = compare_texts(recording, a->module, b->module);
    if (!order)
        order = compare_texts(recording, a->file, b->file);
    return order;
}

struct siblings {
    const struct recording *recording;
    const struct call_tree *tree;
};

/* Falling by size; by name where equal, so that the same recording always reads the same. */
static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct siblings *siblings = context;
    const struct call_node *a = &siblings->tree->nodes.items[*(const uint32_t *)left];
    const struct call_node *b = &siblings->tree->nodes.items[*(const uint32_t *)right];
    if (magnitude(a->value) != magnitude(b->value))
        return magnitude(a->value) > magnitude(b->value) ? -1 : 1;
    if (magnitude(a->count) != magnitude(b->count))
        return magnitude(a->count) > magnitude(b->count) ? -1 : 1;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return call_node_compare(siblings->recording, a, b);
}

/* Children of one parent beside each other: those of `parent` end at ends[parent]. */
static void gather_siblings(const struct call_tree *tree, uint32_t *ends, uint32_t *order)
{
    size_t const count = tree->nodes.count;
    INVARIANT(count > 0 && tree->nodes.items[0].parent == 0);
    for (size_t i = 1; i < count; i++)
        ends[tree->nodes.items[i].parent]++;
    for (size_t i = 1; i < count; i++)
        ends[i] += ends[i - 1];
    for (size_t i = count; i-- > 1;)
        order[--ends[tree->nodes.items[i].parent]] = (uint32_t)i;
    for (size_t i = 0; i + 1 < count; i++) /* they were moved to the beginnings */
        ends[i] = ends[i + 1];
    ends[count - 1] = (uint32_t)count - 1;
}

int call_nodes_link(const struct recording *recording, struct call_tree *tree)
{
    struct siblings siblings = {recording, tree};
    size_t const count = tree->nodes.count;
    uint32_t *order = calloc(count, sizeof(*order));
    uint32_t *ends = calloc(count, sizeof(*ends));
    if (order && ends)
        gather_siblings(tree, ends, order);
    for (size_t i = 0, first = 0; i < count && order && ends; first = ends[i++]) {
        size_t const children = ends[i] - first;
        INVARIANT(ends[i] >= first && ends[i] < count);
        if (children == 0)
            continue;
        if (children > 1)
            qsort_r(order + first, children, sizeof(*order), compare_siblings, &siblings);
        tree->nodes.items[i].first_child = order[first];
        for (size_t k = 1; k < children; k++)
            tree->nodes.items[order[first + k - 1]].next_sibling = order[first + k];
    }
    int const err = order && ends ? 0 : -ENOMEM;
    free(order);
    free(ends);
    return err;
}
