/* SPDX-License-Identifier: Apache-2.0 */
/* call_graph_cut.c - cuts stacks at the functions that `root` and `leaf` name, and sums what is
 * left.  A child always has a larger index than its parent, so one pass up or down the array
 * reaches every node after its parent or after its children. */
#include <errno.h>
#include <stdlib.h>

#include "base/invariant.h"

#include "analyze/trees/call_graph_parts.h"

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static struct graph_function *function_of(struct graph_builder *builder, uint32_t step)
{
    return &builder->functions.items[builder->steps[step].function];
}

static void count_levels(struct graph_builder *builder)
{
    INVARIANT(builder->steps[0].level == 0);
    for (uint32_t i = 1; i < builder->tree.nodes.count; i++) {
        uint32_t const outer = builder->steps[builder->tree.nodes.items[i].parent].level;
        builder->steps[i].level = outer ? outer + 1 : function_of(builder, i)->is_root;
    }
}

/* A stack is cut at its innermost leaf: what is outside of that counts, what is inside does not. */
static void cut_at_leaves(struct graph_builder *builder)
{
    struct graph_step *steps = builder->steps;
    for (uint32_t i = (uint32_t)builder->tree.nodes.count; i-- > 1;) {
        const struct call_node *node = &builder->tree.nodes.items[i];
        struct graph_step *step = &steps[i], *outer = &steps[node->parent];
        if (step->level && function_of(builder, i)->is_leaf) {
            step->is_there = true;
            step->value = node->value;
            step->count = node->count;
        }
        outer->is_there |= step->is_there && outer->level;
        outer->value = add(outer->value, step->value);
        outer->count = add(outer->count, step->count);
    }
}

static void keep_all_inside(struct graph_builder *builder)
{
    for (uint32_t i = 1; i < builder->tree.nodes.count; i++) {
        struct graph_step *step = &builder->steps[i];
        step->is_there = step->level > 0;
        step->value = builder->tree.nodes.items[i].value;
        step->count = builder->tree.nodes.items[i].count;
    }
}

static void note_step(struct graph_builder *builder, uint32_t index)
{
    INVARIANT(builder->steps[index].is_there && builder->steps[index].level > 0);
    const struct graph_step *step = &builder->steps[index];
    const struct call_node *node = &builder->tree.nodes.items[index];
    struct graph_function *function = function_of(builder, index);
    function->is_there = true;
    if (step->level < function->level)
        function->level = step->level;
    if (!builder->rules->leaf || function->is_leaf) {
        function->node.self_value = add(function->node.self_value, node->self_value);
        function->node.self_count = add(function->node.self_count, node->self_count);
    }
    if (step->level == 1) {
        builder->graph->chosen_value = add(builder->graph->chosen_value, step->value);
        builder->graph->chosen_count = add(builder->graph->chosen_count, step->count);
    }
}

void graph_cut(struct graph_builder *builder)
{
    count_levels(builder);
    if (builder->rules->leaf)
        cut_at_leaves(builder);
    else
        keep_all_inside(builder);
    for (uint32_t i = 1; i < builder->tree.nodes.count; i++)
        if (builder->steps[i].is_there)
            note_step(builder, i);
}

/* The node after `at` in a walk that sees parents first; leaving a node takes its key off the
 * path.  0 at the end. */
static uint32_t next_node(const struct call_node *nodes, uint32_t at, const uint32_t *keys,
                          uint32_t *on_path)
{
    if (nodes[at].first_child)
        return nodes[at].first_child;
    while (at) {
        if (keys[at] != GRAPH_NONE)
            on_path[keys[at]]--;
        if (nodes[at].next_sibling)
            return nodes[at].next_sibling;
        at = nodes[at].parent;
    }
    return 0;
}

int graph_sum_paths(const struct graph_builder *builder, const uint32_t *keys, size_t key_count,
                    struct graph_sum *sums)
{
    const struct call_node *nodes = builder->tree.nodes.items;
    uint32_t *on_path = calloc(key_count + 1, sizeof(*on_path));
    if (!on_path)
        return -ENOMEM;
    for (uint32_t at = nodes[0].first_child; at; at = next_node(nodes, at, keys, on_path)) {
        if (keys[at] == GRAPH_NONE || on_path[keys[at]]++ > 0)
            continue;
        sums[keys[at]].value = add(sums[keys[at]].value, builder->steps[at].value);
        sums[keys[at]].count = add(sums[keys[at]].count, builder->steps[at].count);
    }
    free(on_path);
    return 0;
}
