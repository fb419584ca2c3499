/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/recording_caches.h"
#include "base/invariant.h"

#define NODES_KEPT_MOST                                                                            \
    (8u << 20) /* 8 bytes each, 13 for each way to merge; twice that while some are added */

enum kept_shape { SHAPE_DOWN, SHAPE_UP_HIDING, SHAPE_UP_WHOLE, SHAPE_LIMITED, SHAPE_COUNT };

struct call_shapes {
    struct frame_kinds kinds;
    struct call_shape shapes[SHAPE_COUNT]; /* the last is for one question only */
    VEC(stack_id) climb;
};

static void groups_fini(struct shape_groups *groups)
{
    pair_index_fini(&groups->groups);
    vec_free(&groups->of_node);
    vec_free(&groups->is_again);
}

static void shape_fini(struct call_shape *shape)
{
    pair_index_fini(&shape->nodes);
    free(shape->node_of_stack);
    shape->node_of_stack = NULL;
    shape->stack_room = 0;
    for (size_t i = 0; i < TREE_MERGES; i++)
        groups_fini(&shape->groups[i]);
}

static void shapes_clear(struct call_shapes *shapes)
{
    frame_kinds_fini(&shapes->kinds);
    for (size_t i = 0; i < SHAPE_COUNT; i++)
        shape_fini(&shapes->shapes[i]);
    vec_free(&shapes->climb);
}

static void destroy(void *data)
{
    struct call_shapes *shapes = data;
    shapes_clear(shapes);
    free(shapes);
}

static struct call_shapes *shapes_of(struct recording *recording)
{
    struct recording_cache *cache = &recording->caches[CACHE_CALL_SHAPES];
    if (!cache->data)
        *cache = (struct recording_cache){calloc(1, sizeof(struct call_shapes)), destroy};
    return cache->data;
}

/* Room for all stacks there are by now, and the root. */
static int prepare(struct call_shape *shape, const struct recording *recording)
{
    size_t const room = (size_t)stack_table_count(recording->stacks) + 1;
    uint32_t root;
    if (shape->stack_room < room) {
        uint32_t *grown = reallocarray(shape->node_of_stack, room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        memset(grown + shape->stack_room, 0, (room - shape->stack_room) * sizeof(*grown));
        shape->node_of_stack = grown;
        shape->stack_room = room;
    }
    return shape->nodes.pairs.count ? 0 : pair_index_find(&shape->nodes, 0, UINT32_MAX, &root);
}

/* Outermost first: callers are walked once for all stacks. */
static int walk_down(struct call_shapes *shapes, struct call_shape *shape,
                     const struct recording *recording, stack_id stack)
{
    shapes->climb.count = 0;
    while (stack != STACK_EMPTY && !shape->node_of_stack[stack]) {
        if (!vec_push(&shapes->climb, stack))
            return -ENOMEM;
        stack = stack_table_innermost(recording->stacks, stack).caller;
    }
    uint32_t node = stack == STACK_EMPTY ? 0 : shape->node_of_stack[stack];
    INVARIANT(node < shape->nodes.pairs.count);
    while (shapes->climb.count) {
        stack = shapes->climb.items[--shapes->climb.count];
        struct frame_lines const lines = frame_kinds_lines(
            &shapes->kinds, stack_table_innermost(recording->stacks, stack).frame);
        for (uint32_t i = lines.count; i-- > 0;)
            if (pair_index_find(&shape->nodes, node, lines.items[i], &node) < 0)
                return -ENOMEM;
        shape->node_of_stack[stack] = node;
    }
    return 0;
}

static int walk_up(struct call_shapes *shapes, struct call_shape *shape,
                   const struct recording *recording, stack_id stack)
{
    INVARIANT(stack < shape->stack_room);
    uint32_t hidden = 0, levels = 0, node = 0;
    uint32_t *end = &shape->node_of_stack[stack];
    if (*end)
        return 0;
    if (shape->hides_allocator)
        stack = frame_kinds_skip(&shapes->kinds, recording, stack, &hidden);
    while (stack != STACK_EMPTY && levels < shape->max_levels) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        struct frame_lines const lines = frame_kinds_lines(&shapes->kinds, link.frame);
        for (uint32_t i = hidden; i < lines.count; i++, levels++)
            if (pair_index_find(&shape->nodes, node, lines.items[i], &node) < 0)
                return -ENOMEM;
        hidden = 0;
        stack = link.caller;
    }
    *end = node;
    return 0;
}

static int add_stacks(struct call_shapes *shapes, struct call_shape *shape,
                      const struct recording *recording, const struct weights *weights)
{
    int err = prepare(shape, recording);
    for (size_t i = 0; i < weights->rows.count && !err; i++) {
        stack_id const stack = weights->rows.items[i].key;
        if (stack < shape->stack_room)
            err = shape->bottom_up ? walk_up(shapes, shape, recording, stack)
                                   : walk_down(shapes, shape, recording, stack);
    }
    return err;
}

/* The groups from the root to the last one that was made, and how often each kind is among them. */
struct path {
    VEC(uint32_t) groups;
    uint32_t *on_path;
    const struct shape_groups *of;
    const struct frame_kinds *kinds;
    enum tree_merge merge;
};

static uint32_t kind_of(const struct path *path, uint32_t group)
{
    return shape_kind(path->of, path->kinds, path->merge, group);
}

static int path_push(struct path *path, uint32_t group)
{
    INVARIANT(group > 0);
    if (!vec_push(&path->groups, group))
        return -ENOMEM;
    path->on_path[kind_of(path, group)]++;
    return 0;
}

/* Makes it the path to `group`, which nearly always is on it already. */
static int path_turn(struct path *path, uint32_t group)
{
    while (path->groups.count && path->groups.items[path->groups.count - 1] != group)
        path->on_path[kind_of(path, path->groups.items[--path->groups.count])]--;
    if (path->groups.count || !group)
        return 0;
    for (uint32_t at = group; at; at = pair_first(path->of->groups.pairs.items[at]))
        if (path_push(path, at) < 0)
            return -ENOMEM;
    for (size_t i = 0, j = path->groups.count - 1; i < j; i++, j--) {
        uint32_t const outer = path->groups.items[j];
        path->groups.items[j] = path->groups.items[i];
        path->groups.items[i] = outer;
    }
    return 0;
}

static int note_again(struct shape_groups *groups, struct path *path, uint32_t group)
{
    if (group == 0)
        return vec_push(&groups->is_again, false) ? 0 : -ENOMEM;
    int err = path_turn(path, pair_first(groups->groups.pairs.items[group]));
    if (!err && !vec_push(&groups->is_again, path->on_path[kind_of(path, group)] > 0))
        err = -ENOMEM;
    return err ? err : path_push(path, group);
}

/* The group of the next node; that of its parent is known. */
static int group_node(struct call_shape *shape, struct shape_groups *groups, struct path *path,
                      uint32_t node)
{
    uint64_t const pair = shape->nodes.pairs.items[node];
    uint32_t const above = node ? groups->of_node.items[pair_first(pair)] : 0;
    uint32_t group = above, what = UINT32_MAX;
    if (node)
        what = path->merge == MERGE_LINE
                   ? pair_second(pair)
                   : path->kinds->lines.items[pair_second(pair)].kinds[path->merge];
    bool const is_one = path->merge == MERGE_MODULE && above &&
                        pair_second(groups->groups.pairs.items[above]) == what;
    int err = is_one ? 0 : pair_index_find(&groups->groups, above, what, &group);
    if (!err && group == groups->is_again.count)
        err = note_again(groups, path, group);
    if (!err)
        vec_push(&groups->of_node, group);
    return err;
}

static int group_nodes(const struct frame_kinds *kinds, struct call_shape *shape,
                       enum tree_merge merge)
{
    struct shape_groups *groups = &shape->groups[merge];
    struct path path = {.of = groups, .kinds = kinds, .merge = merge};
    size_t const count = shape->nodes.pairs.count;
    if (groups->of_node.count == count)
        return 0;
    path.on_path = calloc((size_t)frame_kinds_count(kinds, merge) + 1, sizeof(*path.on_path));
    int err =
        path.on_path && vec_reserve(&groups->of_node, count - groups->of_node.count) ? 0 : -ENOMEM;
    for (size_t i = groups->of_node.count; i < count && !err; i++)
        err = group_node(shape, groups, &path, (uint32_t)i);
    free(path.on_path);
    vec_free(&path.groups);
    return err;
}

static struct call_shape *choose(struct call_shapes *shapes, const struct shape_question *question)
{
    enum kept_shape const which = !question->bottom_up                 ? SHAPE_DOWN
                                  : question->max_levels != UINT32_MAX ? SHAPE_LIMITED
                                  : question->shows_allocator          ? SHAPE_UP_WHOLE
                                                                       : SHAPE_UP_HIDING;
    struct call_shape *shape = &shapes->shapes[which];
    shape->bottom_up = question->bottom_up;
    shape->hides_allocator = !question->shows_allocator;
    shape->max_levels = question->max_levels;
    return shape;
}

int call_shape_kinds(struct recording *recording, struct frame_kinds **kinds)
{
    struct call_shapes *shapes = shapes_of(recording);
    int err = shapes ? frame_kinds_extend(&shapes->kinds, recording) : -ENOMEM;
    if (err == -ESTALE) {
        shapes_clear(shapes);
        err = frame_kinds_extend(&shapes->kinds, recording);
    }
    if (err && shapes)
        shapes_clear(shapes); /* half of it is worse than nothing */
    else if (!err)
        *kinds = &shapes->kinds;
    return err;
}

int call_shape_get(struct recording *recording, const struct weights *weights,
                   const struct shape_question *question, struct call_shape **shape,
                   struct frame_kinds **kinds)
{
    int err = call_shape_kinds(recording, kinds);
    if (err)
        return err;
    struct call_shapes *shapes = recording->caches[CACHE_CALL_SHAPES].data;
    *shape = choose(shapes, question);
    err = add_stacks(shapes, *shape, recording, weights);
    if (!err)
        err = group_nodes(*kinds, *shape, question->merge);
    if (err)
        shapes_clear(shapes);
    return err;
}

/* A question that added nothing is likely to be followed by another such one. */
static void rest(struct call_shape *shape)
{
    if (shape->nodes.pairs.count == shape->known && shape->nodes.slots) {
        pair_index_rest(&shape->nodes);
        for (size_t i = 0; i < TREE_MERGES; i++) {
            pair_index_rest(&shape->groups[i].groups);
            vec_trim(&shape->groups[i].of_node);
            vec_trim(&shape->groups[i].is_again);
        }
    }
    shape->known = shape->nodes.pairs.count;
}

void call_shape_put(struct recording *recording)
{
    struct call_shapes *shapes = recording->caches[CACHE_CALL_SHAPES].data;
    size_t nodes = 0;
    if (!shapes)
        return;
    shape_fini(&shapes->shapes[SHAPE_LIMITED]);
    for (size_t i = 0; i < SHAPE_COUNT; i++) {
        struct call_shape *shape = &shapes->shapes[i];
        if (nodes + shape->nodes.pairs.count > NODES_KEPT_MOST)
            shape_fini(shape);
        rest(shape);
        nodes += shape->nodes.pairs.count;
    }
}

uint32_t call_shape_leaf(const struct call_shape *shape, struct frame_kinds *kinds,
                         const struct recording *recording, stack_id stack, bool shows_allocator)
{
    uint32_t const end = stack < shape->stack_room ? shape->node_of_stack[stack] : 0;
    if (shape->bottom_up || shows_allocator)
        return end;
    const uint64_t *nodes = shape->nodes.pairs.items;
    for (uint32_t at = end; at; at = pair_first(nodes[at]))
        if (!frame_kinds_is_allocator(kinds, recording, pair_second(nodes[at])))
            return at;
    return end;
}
