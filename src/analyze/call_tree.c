/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/call_nodes.h"
#include "analyze/call_shape.h"
#include "analyze/shown_frame.h"

struct builder {
    struct recording *recording;
    struct call_tree *tree;
    struct shape_question question;
    struct call_shape *shape;
    struct frame_kinds *kinds;
    bool *is_used;           /* by node of the shape: some stack at hand goes through it */
    uint32_t *node_of_group; /* of the tree; 0: none yet */
};

/* Where each row of the weights ends, as nodes of the shape at first. */
static int find_leaves(struct builder *builder, const struct weights *weights)
{
    if (!vec_reserve(&builder->tree->leaves, weights->rows.count))
        return -ENOMEM;
    vec_each (row, &weights->rows) {
        uint32_t const leaf = call_shape_leaf(builder->shape, builder->kinds, builder->recording,
                                              row->key, builder->question.shows_allocator);
        vec_push(&builder->tree->leaves, leaf);
        builder->is_used[leaf] = true;
    }
    const uint64_t *nodes = builder->shape->nodes.pairs.items;
    for (size_t i = builder->shape->nodes.pairs.count; i-- > 1;) /* a parent comes first */
        if (builder->is_used[i])
            builder->is_used[pair_first(nodes[i])] = true;
    return 0;
}

static void name_module(struct recording *recording, struct call_node *node)
{
    const char *path = recording_text(recording, node->module);
    node->function = recording_intern(recording, *path ? path_basename(path) : "[unknown]");
    node->file = STRING_EMPTY;
    node->line = 0;
    node->inlined = false;
}

static void make_node(struct builder *builder, uint32_t from, uint32_t group)
{
    const struct shape_groups *groups = &builder->shape->groups[builder->question.merge];
    const struct frame_line *line =
        &builder->kinds->lines.items[pair_second(builder->shape->nodes.pairs.items[from])];
    uint32_t const above = pair_first(groups->groups.pairs.items[group]);
    struct call_node node = {.function = line->shown.function,
                             .module = line->shown.module,
                             .file = line->shown.file,
                             .line = line->shown.line,
                             .inlined = line->shown.inlined,
                             .is_again = groups->is_again.items[group],
                             .kind = line->kinds[builder->question.merge],
                             .parent = builder->node_of_group[above]};
    if (builder->question.merge == MERGE_MODULE)
        name_module(builder->recording, &node);
    builder->node_of_group[group] = (uint32_t)builder->tree->nodes.count;
    vec_push(&builder->tree->nodes, node);
}

/* One node for each group that is used; a parent before its children. */
static int make_nodes(struct builder *builder)
{
    const struct call_shape *shape = builder->shape;
    const uint32_t *group_of = shape->groups[builder->question.merge].of_node.items;
    size_t used = 0;
    for (size_t i = 1; i < shape->nodes.pairs.count; i++)
        used += builder->is_used[i];
    if (!vec_reserve(&builder->tree->nodes, used))
        return -ENOMEM;
    for (size_t i = 1; i < shape->nodes.pairs.count; i++) {
        if (!builder->is_used[i])
            continue;
        uint32_t const group = group_of[i], known = builder->node_of_group[group];
        if (!known)
            make_node(builder, (uint32_t)i, group);
        else if (builder->question.merge == MERGE_FUNCTION)
            call_node_blur(
                &builder->tree->nodes.items[known],
                &builder->kinds->lines.items[pair_second(shape->nodes.pairs.items[i])].shown);
    }
    return 0;
}

static void add_weights(struct builder *builder, const struct weights *weights)
{
    const uint32_t *group_of = builder->shape->groups[builder->question.merge].of_node.items;
    for (size_t i = 0; i < weights->rows.count; i++) {
        const struct weight *row = &weights->rows.items[i];
        uint32_t *leaf = &builder->tree->leaves.items[i];
        *leaf = builder->node_of_group[group_of[*leaf]];
        struct call_node *node = &builder->tree->nodes.items[*leaf];
        node->self_value = (int64_t)((uint64_t)node->self_value + (uint64_t)row->value);
        node->self_count = (int64_t)((uint64_t)node->self_count + (uint64_t)row->count);
    }
}

static int fill_tree(struct builder *builder, const struct weights *weights)
{
    const struct shape_groups *groups = &builder->shape->groups[builder->question.merge];
    struct call_node const root = {.function = recording_intern(builder->recording, "all")};
    builder->is_used = calloc(builder->shape->nodes.pairs.count, sizeof(*builder->is_used));
    builder->node_of_group = calloc(groups->groups.pairs.count, sizeof(*builder->node_of_group));
    builder->tree->kind_count = frame_kinds_count(builder->kinds, builder->question.merge);
    if (!builder->is_used || !builder->node_of_group || !vec_push(&builder->tree->nodes, root))
        return -ENOMEM;
    int err = find_leaves(builder, weights);
    if (!err)
        err = make_nodes(builder);
    if (err)
        return err;
    add_weights(builder, weights);
    call_nodes_sum(builder->tree);
    return call_nodes_link(builder->recording, builder->tree);
}

static int build(struct recording *recording, const struct weights *weights,
                 struct shape_question question, struct call_tree *tree)
{
    struct builder builder = {.recording = recording, .tree = tree, .question = question};
    memset(tree, 0, sizeof(*tree));
    builder.question.shows_allocator = weights->metric && metric_shows_allocator(weights->metric);
    int err = call_shape_get(recording, weights, &builder.question, &builder.shape, &builder.kinds);
    if (!err)
        err = fill_tree(&builder, weights);
    free(builder.is_used);
    free(builder.node_of_group);
    call_shape_put(recording);
    if (err)
        call_tree_fini(tree);
    return err;
}

int call_tree_build(struct recording *recording, const struct weights *weights, bool bottom_up,
                    enum tree_merge merge, struct call_tree *tree)
{
    struct shape_question const question = {
        .bottom_up = bottom_up, .max_levels = UINT32_MAX, .merge = merge};
    return build(recording, weights, question, tree);
}

int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree)
{
    struct shape_question const question = {
        .bottom_up = true, .max_levels = max_levels, .merge = merge};
    return build(recording, weights, question, tree);
}

void call_tree_fini(struct call_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->leaves);
}
