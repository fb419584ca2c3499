/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flame/flame_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sites/select_largest.h"

/* What is left to lay out among the children of one node. */
struct flame_level {
    uint32_t next;       /* the child to look at, 0 when there are no more */
    int64_t start, room; /* free part of the parent */
    struct flame_frame remainder;
};

struct flame_builder {
    const struct call_tree *tree;
    struct flame_layout *layout;
    int64_t min_value;
    uint32_t max_depth;
    uint32_t *sizes;                /* by node: frames beneath it, and itself */
    VEC(struct flame_level) levels; /* a stack: the path from the root to here */
};

static const struct call_node *node_at(const struct call_tree *tree, uint32_t index)
{
    return &tree->nodes.items[index];
}

/* Frames beneath each node, itself among them: a child comes after its parent. */
static int measure_subtrees(struct flame_builder *builder)
{
    size_t const count = builder->tree->nodes.count;
    builder->sizes = calloc(count, sizeof(*builder->sizes));
    if (!builder->sizes)
        return -ENOMEM;
    for (size_t i = count; i-- > 1;) {
        const struct call_node *node = node_at(builder->tree, (uint32_t)i);
        builder->sizes[i] += 1 + node->left_out;
        builder->sizes[node->parent] += builder->sizes[i];
    }
    builder->sizes[0] += 1 + node_at(builder->tree, 0)->left_out;
    return 0;
}

/* The value a frame must have to be among the `max_frames` biggest.  A parent is never smaller than
 * its child, so a limit by value keeps the tree connected. */
static int raise_min_value(const struct call_tree *tree, uint32_t max_frames, int64_t *min_value)
{
    if (tree->nodes.count <= max_frames)
        return 0;
    uint64_t *values = calloc(tree->nodes.count, sizeof(values[0]));
    if (!values)
        return -ENOMEM;
    size_t count = 0;
    vec_each (node, &tree->nodes)
        values[count++] = node->value > 0 ? (uint64_t)node->value : 0;
    int64_t const next = select_largest(values, count, max_frames);
    if (next >= *min_value)
        *min_value = next + 1;
    free(values);
    return 0;
}

/* What the tree has left out beneath a node: all that neither it nor its children have. */
static struct flame_frame left_out_of(const struct flame_builder *builder, uint32_t at,
                                      uint32_t depth)
{
    const struct call_node *node = node_at(builder->tree, at);
    struct flame_frame rest = {.node = at, .depth = depth, .hidden = node->left_out};
    if (node->left_out == 0)
        return rest;
    rest.value = node->value - node->self_value;
    rest.count = node->count - node->self_count;
    for (uint32_t i = node->first_child; i; i = node_at(builder->tree, i)->next_sibling) {
        rest.value -= node_at(builder->tree, i)->value;
        rest.count -= node_at(builder->tree, i)->count;
    }
    return rest;
}

static bool enter_node(struct flame_builder *builder, const struct flame_frame *frame)
{
    struct flame_level level = {.next = node_at(builder->tree, frame->node)->first_child,
                                .start = frame->start,
                                .room = frame->value,
                                .remainder = left_out_of(builder, frame->node, frame->depth + 1)};
    return vec_push(&builder->layout->frames, *frame) && vec_push(&builder->levels, level);
}

/* Puts the remainder, if any, beside the children that were drawn. */
static bool leave_node(struct flame_builder *builder)
{
    struct flame_level *level = &builder->levels.items[--builder->levels.count];
    builder->layout->hidden += level->remainder.hidden;
    level->remainder.start = level->start;
    return level->remainder.hidden == 0 || vec_push(&builder->layout->frames, level->remainder);
}

/* Lays out one child of the innermost level. */
static bool place_child(struct flame_builder *builder)
{
    struct flame_level *level = &builder->levels.items[builder->levels.count - 1];
    const struct call_node *node = node_at(builder->tree, level->next);
    struct flame_frame frame = {.node = level->next,
                                .depth = level->remainder.depth,
                                .start = level->start,
                                .value = node->value < level->room ? node->value : level->room,
                                .count = node->count};
    if (frame.value < 0)
        frame.value = 0;
    level->next = node->next_sibling;
    level->room -= frame.value;
    if (frame.value < builder->min_value || frame.depth > builder->max_depth) {
        level->remainder.hidden += builder->sizes[frame.node];
        level->remainder.value += frame.value;
        level->remainder.count += frame.count;
        return true;
    }
    level->start += frame.value;
    return enter_node(builder, &frame);
}

int flame_layout_build(const struct call_tree *tree, const struct flame_limits *limits,
                       struct flame_layout *layout)
{
    memset(layout, 0, sizeof(*layout));
    if (tree->nodes.count == 0)
        return 0;
    struct flame_builder builder = {.tree = tree,
                                    .layout = layout,
                                    .min_value = limits->min_value > 1 ? limits->min_value : 1,
                                    .max_depth = limits->max_depth};
    int err = raise_min_value(tree, limits->max_frames, &builder.min_value);
    if (!err)
        err = measure_subtrees(&builder);
    if (err)
        return err;
    const struct call_node *root = node_at(tree, 0);
    layout->total = root->value > 0 ? root->value : 0;
    struct flame_frame frame = {.value = layout->total, .count = root->count};
    bool ok = enter_node(&builder, &frame);
    while (ok && builder.levels.count > 0) {
        bool has_child = builder.levels.items[builder.levels.count - 1].next != 0;
        ok = has_child ? place_child(&builder) : leave_node(&builder);
    }
    vec_free(&builder.levels);
    free(builder.sizes);
    if (!ok)
        flame_layout_fini(layout);
    return ok ? 0 : -ENOMEM;
}

void flame_layout_fini(struct flame_layout *layout)
{
    vec_free(&layout->frames);
    memset(layout, 0, sizeof(*layout));
}

size_t flame_layout_skip(const struct flame_layout *layout, size_t at)
{
    uint32_t depth = layout->frames.items[at].depth;
    do {
        at++;
    } while (at < layout->frames.count && layout->frames.items[at].depth > depth);
    return at;
}

struct flame_visit {
    const struct flame_layout *layout;
    flame_draw *draw;
    void *context;
    struct flame_frame run; /* narrow neighbours that wait to be drawn as one; hidden 0: none */
    uint64_t unseen;
};

static void flush_run(struct flame_visit *visit)
{
    if (visit->run.hidden)
        visit->draw(visit->context, &visit->run);
    visit->run.hidden = 0;
}

/* Adds the frame `at`, and what lies above it, to the run; returns the frame after them. */
static size_t merge_narrow(struct flame_visit *visit, size_t at)
{
    const struct flame_frame *frame = &visit->layout->frames.items[at];
    struct flame_frame *run = &visit->run;
    size_t const next = flame_layout_skip(visit->layout, at);
    bool const continues =
        run->hidden && run->depth == frame->depth && run->start + run->value == frame->start;
    uint32_t stands_for = 0;
    for (; at < next; at++) {
        uint32_t const hidden = visit->layout->frames.items[at].hidden;
        stands_for += hidden ? hidden : 1;
    }
    if (!continues) {
        flush_run(visit);
        *run =
            (struct flame_frame){.node = frame->node, .depth = frame->depth, .start = frame->start};
    }
    run->hidden += stands_for;
    run->value += frame->value;
    run->count += frame->count;
    visit->unseen += stands_for;
    return next;
}

uint64_t flame_layout_visit(const struct flame_layout *layout, double min_value, flame_draw *draw,
                            void *context)
{
    struct flame_visit visit = {.layout = layout, .draw = draw, .context = context};
    for (size_t at = 0; at < layout->frames.count;) {
        const struct flame_frame *frame = &layout->frames.items[at];
        bool const is_narrow = frame->hidden || (double)frame->value < min_value;
        if (is_narrow && at > 0) {
            at = merge_narrow(&visit, at);
            continue;
        }
        flush_run(&visit);
        draw(context, frame);
        at++;
    }
    flush_run(&visit);
    return visit.unseen;
}
