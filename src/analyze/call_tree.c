/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_nodes.h"
#include "analyze/shown_frame.h"

struct builder {
    struct recording *recording;
    struct call_tree *tree;
    struct call_nodes nodes;
    bool bottom_up;
    bool shows_allocator;          /* time in malloc is malloc's; memory is of who asked */
    uint32_t max_levels;           /* bottom-up: callers further out are left out */
    uint32_t *node_of_stack;       /* top-down: the node of each stack walked so far, 0 when none */
    VEC(struct shown_frame) shown; /* every line of every frame ... */
    uint32_t *first_shown;         /* ... frame f has [first_shown[f], first_shown[f + 1]) */
    VEC(struct shown_frame) lines; /* of the stack at hand, innermost first */
    VEC(stack_id) climb;
};

static void builder_fini(struct builder *builder)
{
    call_nodes_fini(&builder->nodes);
    free(builder->node_of_stack);
    free(builder->first_shown);
    vec_free(&builder->shown);
    vec_free(&builder->lines);
    vec_free(&builder->climb);
}

/* Expands every frame once: stacks share frames many times over. */
static int expand_frames(struct builder *builder)
{
    size_t const count = builder->recording->frames.count;
    builder->first_shown = calloc(count + 1, sizeof(uint32_t));
    if (!builder->first_shown)
        return -ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        size_t const lines = frame_show(builder->recording, i, NULL, 0);
        if (builder->shown.count + lines > UINT32_MAX || !vec_reserve(&builder->shown, lines))
            return -ENOMEM;
        frame_show(builder->recording, i, builder->shown.items + builder->shown.count, lines);
        builder->shown.count += lines;
        builder->first_shown[i + 1] = (uint32_t)builder->shown.count;
    }
    return 0;
}

/* Top-down: the node of `stack`, by the nodes of its callers, each walked once for all stacks. */
static int node_of_stack(struct builder *builder, stack_id stack, uint32_t *node)
{
    builder->climb.count = 0;
    while (stack != STACK_EMPTY && !builder->node_of_stack[stack]) {
        if (!vec_push(&builder->climb, stack))
            return -ENOMEM;
        stack = stack_table_innermost(builder->recording->stacks, stack).caller;
    }
    *node = stack == STACK_EMPTY ? 0 : builder->node_of_stack[stack];
    while (builder->climb.count) {
        stack = builder->climb.items[--builder->climb.count];
        uint32_t const frame = stack_table_innermost(builder->recording->stacks, stack).frame;
        if (frame >= builder->recording->frames.count)
            continue;
        for (uint32_t i = builder->first_shown[frame + 1]; i-- > builder->first_shown[frame];)
            if (call_nodes_find(&builder->nodes, *node, &builder->shown.items[i], node) < 0)
                return -ENOMEM;
        builder->node_of_stack[stack] = *node;
    }
    return 0;
}

/* Where the visible part of a stack begins: its innermost link, and how many of that link's lines
 * are the allocator's own.  A stack of nothing else is shown whole. */
static stack_id skip_allocator(const struct builder *builder, stack_id stack, uint32_t *hidden)
{
    const struct recording *recording = builder->recording;
    for (stack_id at = builder->shows_allocator ? STACK_EMPTY : stack; at != STACK_EMPTY;) {
        struct stack_link const link = stack_table_innermost(recording->stacks, at);
        if (link.frame < recording->frames.count) {
            uint32_t const first = builder->first_shown[link.frame];
            uint32_t const end = builder->first_shown[link.frame + 1];
            for (uint32_t i = first; i < end; i++) {
                if (!shown_frame_is_allocator(recording, &builder->shown.items[i])) {
                    *hidden = i - first;
                    return at;
                }
            }
        }
        at = link.caller;
    }
    *hidden = 0;
    return stack;
}

static int leaf_top_down(struct builder *builder, stack_id stack, uint32_t *node)
{
    uint32_t hidden;
    stack = skip_allocator(builder, stack, &hidden);
    if (hidden == 0)
        return node_of_stack(builder, stack, node);

    struct stack_link const link = stack_table_innermost(builder->recording->stacks, stack);
    int err = node_of_stack(builder, link.caller, node);
    uint32_t const first = builder->first_shown[link.frame] + hidden;
    for (uint32_t i = builder->first_shown[link.frame + 1]; !err && i-- > first;)
        err = call_nodes_find(&builder->nodes, *node, &builder->shown.items[i], node);
    return err;
}

static int leaf_bottom_up(struct builder *builder, stack_id stack, uint32_t *node)
{
    uint32_t hidden, levels = 0;
    stack = skip_allocator(builder, stack, &hidden);
    *node = 0;
    while (stack != STACK_EMPTY && levels < builder->max_levels) {
        struct stack_link const link = stack_table_innermost(builder->recording->stacks, stack);
        stack = link.caller;
        if (link.frame >= builder->recording->frames.count)
            continue;
        uint32_t const end = builder->first_shown[link.frame + 1];
        for (uint32_t i = builder->first_shown[link.frame] + hidden; i < end; i++, levels++)
            if (call_nodes_find(&builder->nodes, *node, &builder->shown.items[i], node) < 0)
                return -ENOMEM;
        hidden = 0;
    }
    return 0;
}

static int fill_tree(struct builder *builder, const struct weights *weights)
{
    struct call_node root = {.function = recording_intern(builder->recording, "all")};
    if (!vec_push(&builder->tree->nodes, root))
        return -ENOMEM;
    int err = expand_frames(builder);
    if (err)
        return err;
    size_t const stacks = (size_t)stack_table_count(builder->recording->stacks) + 1;
    builder->node_of_stack = calloc(stacks, sizeof(uint32_t));
    if (!builder->node_of_stack)
        return -ENOMEM;
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *row = &weights->rows.items[i];
        uint32_t node = 0;
        err = builder->bottom_up ? leaf_bottom_up(builder, row->key, &node)
                                 : leaf_top_down(builder, row->key, &node);
        if (err)
            return err;
        if (!vec_push(&builder->tree->leaves, node))
            return -ENOMEM;
        struct call_node *leaf = &builder->tree->nodes.items[node];
        leaf->self_value = (int64_t)((uint64_t)leaf->self_value + (uint64_t)row->value);
        leaf->self_count = (int64_t)((uint64_t)leaf->self_count + (uint64_t)row->count);
    }
    call_nodes_sum(builder->tree);
    return call_nodes_link(builder->recording, builder->tree);
}

static int build(struct builder *builder, const struct weights *weights)
{
    memset(builder->tree, 0, sizeof(*builder->tree));
    builder->shows_allocator = weights->metric && metric_shows_allocator(weights->metric);
    int err = fill_tree(builder, weights);
    builder_fini(builder);
    if (err)
        call_tree_fini(builder->tree);
    return err;
}

int call_tree_build(struct recording *recording, const struct weights *weights, bool bottom_up,
                    enum tree_merge merge, struct call_tree *tree)
{
    struct builder builder = {.recording = recording,
                              .tree = tree,
                              .nodes = {recording, tree, merge, NULL, 0},
                              .bottom_up = bottom_up,
                              .max_levels = UINT32_MAX};
    return build(&builder, weights);
}

int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree)
{
    struct builder builder = {.recording = recording,
                              .tree = tree,
                              .nodes = {recording, tree, merge, NULL, 0},
                              .bottom_up = true,
                              .max_levels = max_levels};
    return build(&builder, weights);
}

void call_tree_fini(struct call_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->leaves);
}
