/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_nodes.h"
#include "analyze/sites/select_largest.h"
#include "analyze/trees/shape_sums.h"
#include "analyze/trees/shown_frame.h"
#include "base/invariant.h"

struct call_builder {
    struct shape_sums sums;
    struct call_tree *tree;
    uint32_t most;           /* nodes; UINT32_MAX: all */
    int64_t least;           /* value of a group that becomes a node, when that is less than all */
    uint32_t *node_of_group; /* of the tree; 0: none yet */
    double least_share;      /* of a site, for nodes that may have children; 0: all */
    uint32_t *site_of_group; /* group of the first level; 0: beneath a small one; or NULL */
};

static bool is_of_all(const struct call_builder *builder)
{
    return builder->most == UINT32_MAX;
}

/* Frames of a group and beneath it; 0 when no stack goes through it. */
static uint32_t *measure_groups(const struct call_builder *builder)
{
    const struct shape_sums *sums = &builder->sums;
    const struct shape_groups *groups = shape_sums_groups(sums);
    uint32_t *sizes = calloc(groups->groups.pairs.count, sizeof(*sizes));
    for (size_t i = 1; i < sums->shape->nodes.pairs.count && sizes; i++)
        if (sums->is_used[i])
            sizes[groups->of_node.items[i]] = 1;
    for (size_t i = groups->groups.pairs.count; i-- > 1 && sizes;)
        sizes[pair_first(groups->groups.pairs.items[i])] += sizes[i];
    if (sizes)
        sizes[0]++;
    return sizes;
}

/* The value a group must have to be among the `most` largest.  A parent is never smaller than
 * its child, so such a limit keeps the tree connected. */
static int find_least(struct call_builder *builder, const uint32_t *sizes)
{
    size_t const count = shape_sums_groups(&builder->sums)->groups.pairs.count;
    uint64_t *values = malloc(count * sizeof(*values));
    size_t used = 0;
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        int64_t const value = builder->sums.totals[i].value;
        if (sizes[i])
            values[used++] = value > 0 ? (uint64_t)value : 0;
    }
    builder->least = used > builder->most ? select_largest(values, used, builder->most) + 1 : 0;
    INVARIANT(used <= count);
    free(values);
    return 0;
}

static double size_of(int64_t value)
{
    return value < 0 ? -(double)value : (double)value;
}

static int find_sites(struct call_builder *builder)
{
    const struct pair_index *groups = &shape_sums_groups(&builder->sums)->groups;
    const struct group_total *totals = builder->sums.totals;
    if (builder->least_share <= 0)
        return 0;
    uint32_t *sites = builder->site_of_group = calloc(groups->pairs.count, sizeof(*sites));
    if (!sites)
        return -ENOMEM;
    for (uint32_t i = 1; i < groups->pairs.count; i++) {
        uint32_t const above = pair_first(groups->pairs.items[i]), site = sites[above];
        INVARIANT(above < i);
        if (!above)
            sites[i] = i;
        else if (site && !(size_of(totals[above].value) <
                           builder->least_share * size_of(totals[site].value)))
            sites[i] = site;
    }
    return 0;
}

static bool is_left_out(const struct call_builder *builder, uint32_t group)
{
    return (builder->site_of_group && !builder->site_of_group[group]) ||
           (!is_of_all(builder) && builder->sums.totals[group].value < builder->least);
}

static bool make_node(struct call_builder *builder, const struct frame_line *line, uint32_t group)
{
    const struct shape_groups *groups = shape_sums_groups(&builder->sums);
    enum tree_merge const merge = builder->sums.question.merge;
    uint32_t const above = pair_first(groups->groups.pairs.items[group]);
    INVARIANT(above < group && !builder->node_of_group[group]);
    struct call_node node = {.function = line->shown.function,
                             .module = line->shown.module,
                             .file = line->shown.file,
                             .line = line->shown.line,
                             .inlined = line->shown.inlined,
                             .kind = line->kinds[merge],
                             .value = builder->sums.totals[group].value,
                             .count = builder->sums.totals[group].count,
                             .spread = builder->sums.totals[group].spread,
                             .parent = builder->node_of_group[above]};
    if (merge == MERGE_MODULE) {
        node.function = module_show(builder->sums.recording, node.module);
        node.file = STRING_EMPTY;
        node.line = 0;
        node.inlined = false;
    }
    INVARIANT(node.parent < builder->tree->nodes.count); /* a parent comes before its children */
    builder->node_of_group[group] = (uint32_t)builder->tree->nodes.count;
    return vec_push(&builder->tree->nodes, node);
}

/* One node for each group that is used and large enough; a parent before its children. */
static int make_nodes(struct call_builder *builder)
{
    const struct shape_sums *sums = &builder->sums;
    const uint32_t *group_of = shape_sums_groups(sums)->of_node.items;
    for (uint32_t i = 1; i < sums->shape->nodes.pairs.count; i++) {
        uint32_t const group = group_of[i];
        if (!sums->is_used[i] || is_left_out(builder, group))
            continue;
        uint32_t const known = builder->node_of_group[group];
        if (!known && !make_node(builder, shape_sums_line(sums, i), group))
            return -ENOMEM;
        if (known && sums->question.merge == MERGE_FUNCTION)
            call_node_blur(&builder->tree->nodes.items[known], &shape_sums_line(sums, i)->shown);
    }
    return 0;
}

/* What is left out counts for the node above it. */
static void count_left_out(struct call_builder *builder, const uint32_t *sizes)
{
    const struct shape_groups *groups = shape_sums_groups(&builder->sums);
    for (size_t i = 1; i < groups->groups.pairs.count; i++) {
        uint32_t const above = pair_first(groups->groups.pairs.items[i]);
        if (sizes[i] && !builder->node_of_group[i] && (!above || builder->node_of_group[above]))
            builder->tree->nodes.items[builder->node_of_group[above]].left_out += sizes[i];
    }
}

/* A stack that ends in no node; `place` is where each kind of modules is among those left out, +
 * 1. */
static int leave_out(struct call_builder *builder, uint32_t *place, uint32_t leaf, int64_t value)
{
    const struct frame_line *line = shape_sums_line(&builder->sums, leaf);
    uint32_t *known = &place[line->kinds[MERGE_MODULE]];
    if (!*known) {
        struct module_rest const module = {.module = line->shown.module};
        if (!vec_push(&builder->tree->left_out, module))
            return -ENOMEM;
        *known = (uint32_t)builder->tree->left_out.count;
    }
    builder->tree->left_out.items[*known - 1].self_value += value;
    INVARIANT(*known <= builder->tree->left_out.count);
    return 0;
}

/* Ends of stacks: the node, or the nearest above it that there is. */
static int add_selves(struct call_builder *builder, const struct weights *weights)
{
    const struct shape_groups *groups = shape_sums_groups(&builder->sums);
    uint32_t *place =
        calloc((size_t)frame_kinds_count(builder->sums.kinds, MERGE_MODULE) + 1, sizeof(*place));
    int err = place && vec_reserve(&builder->tree->leaves, weights->rows.count) ? 0 : -ENOMEM;
    for (size_t i = 0; i < weights->rows.count && !err; i++) {
        const struct weight *row = &weights->rows.items[i];
        uint32_t const group = groups->of_node.items[builder->sums.leaves[i]];
        INVARIANT(group < groups->groups.pairs.count);
        uint32_t at = group;
        while (at && !builder->node_of_group[at])
            at = pair_first(groups->groups.pairs.items[at]);
        vec_push(&builder->tree->leaves, builder->node_of_group[at]);
        struct call_node *node = &builder->tree->nodes.items[builder->node_of_group[at]];
        if (at == group) {
            node->self_value = (int64_t)((uint64_t)node->self_value + (uint64_t)row->value);
            node->self_count = (int64_t)((uint64_t)node->self_count + (uint64_t)row->count);
            node->self_spread = (int64_t)((uint64_t)node->self_spread + (uint64_t)row->spread);
        } else {
            err = leave_out(builder, place, builder->sums.leaves[i], row->value);
        }
    }
    free(place);
    return err;
}

static int fill_tree(struct call_builder *builder, const struct weights *weights)
{
    struct shape_sums *sums = &builder->sums;
    struct call_node const root = {.function = recording_intern(sums->recording, "all"),
                                   .value = sums->totals[0].value,
                                   .count = sums->totals[0].count,
                                   .spread = sums->totals[0].spread};
    uint32_t *sizes = is_of_all(builder) ? NULL : measure_groups(builder);
    int err = is_of_all(builder) ? 0 : sizes ? find_least(builder, sizes) : -ENOMEM;
    builder->node_of_group =
        calloc(shape_sums_groups(sums)->groups.pairs.count, sizeof(*builder->node_of_group));
    builder->tree->kind_count = frame_kinds_count(sums->kinds, sums->question.merge);
    if (!builder->node_of_group || !vec_push(&builder->tree->nodes, root))
        err = -ENOMEM;
    if (!err)
        err = find_sites(builder);
    if (!err)
        err = make_nodes(builder);
    if (!err && sizes)
        count_left_out(builder, sizes);
    if (!err)
        err = add_selves(builder, weights);
    INVARIANT(err || builder->tree->leaves.count == weights->rows.count);
    free(builder->node_of_group);
    free(builder->site_of_group);
    free(sizes);
    return err ? err : call_nodes_link(sums->recording, builder->tree);
}

static int build(struct call_builder *builder, struct recording *recording,
                 const struct weights *weights, const struct shape_question *question)
{
    struct call_tree *tree = builder->tree;
    memset(tree, 0, sizeof(*tree));
    int err = shape_sums_make(&builder->sums, recording, weights, question);
    if (err)
        return err;
    err = fill_tree(builder, weights);
    shape_sums_fini(&builder->sums);
    INVARIANT(err || !is_of_all(builder) || builder->least_share > 0 || call_tree_is_valid(tree));
    if (err)
        call_tree_fini(tree);
    return err;
}

int call_tree_build(struct recording *recording, const struct weights *weights, bool bottom_up,
                    enum tree_merge merge, struct call_tree *tree)
{
    struct tree_cut const all = {.bottom_up = bottom_up, .merge = merge, .most = UINT32_MAX};
    return call_tree_build_largest(recording, weights, all, tree);
}

int call_tree_build_largest(struct recording *recording, const struct weights *weights,
                            struct tree_cut cut, struct call_tree *tree)
{
    struct shape_question const question = {
        .bottom_up = cut.bottom_up, .max_levels = UINT32_MAX, .merge = cut.merge};
    struct call_builder builder = {.tree = tree, .most = cut.most};
    return build(&builder, recording, weights, &question);
}

int call_tree_build_main_callers(struct recording *recording, const struct weights *weights,
                                 enum tree_merge merge, uint32_t max_levels, double least_share,
                                 struct call_tree *tree)
{
    struct shape_question const question = {
        .bottom_up = true, .max_levels = max_levels, .merge = merge};
    struct call_builder builder = {.tree = tree, .most = UINT32_MAX, .least_share = least_share};
    return build(&builder, recording, weights, &question);
}

int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree)
{
    return call_tree_build_main_callers(recording, weights, merge, max_levels, 0, tree);
}

/* What a node has is what it has itself and what its children have, modulo 2^64. */
bool call_tree_is_valid(const struct call_tree *tree)
{
    const struct call_node *nodes = tree->nodes.items;
    bool valid = tree->nodes.count > 0;
    for (size_t i = 0; i < tree->nodes.count && valid; i++) {
        uint64_t value = (uint64_t)nodes[i].self_value, count = (uint64_t)nodes[i].self_count;
        for (uint32_t child = nodes[i].first_child; child; child = nodes[child].next_sibling) {
            valid = valid && child > i && nodes[child].parent == i;
            value += (uint64_t)nodes[child].value;
            count += (uint64_t)nodes[child].count;
        }
        valid = valid && value == (uint64_t)nodes[i].value && count == (uint64_t)nodes[i].count;
    }
    return valid;
}

void call_tree_fini(struct call_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->leaves);
    vec_free(&tree->left_out);
}
