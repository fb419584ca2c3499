/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/page_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"

/* A part of a node: innermost first, one stack of which `rest` is still to be walked; outermost
 * first, all stacks that go on from `stack`. */
struct page_tree_part {
    stack_id stack, rest;
};

/* Parts of a node by the frame they go on with. */
struct page_group {
    uint32_t frame;
    uint32_t parts, at; /* how many, and where they go; UINT32_MAX: left out */
    uint64_t sums[PAGE_SUMS];
};

struct step {
    uint32_t group;
    struct page_tree_part part;
};

struct page_tree_span {
    uint32_t begin, count;
};

struct page_builder {
    const struct recording *recording;
    const struct running *running;
    struct page_tree_options options;
    struct page_tree *tree;
    uint64_t all[PAGE_SUMS];   /* of all stacks */
    uint64_t *sums;            /* by stack; outermost first: with those of all stacks beneath */
    stack_id *callee, *sister; /* outermost first: the stacks beneath each, as lists */
    VEC(struct page_tree_part) parts, next_parts; /* of the nodes of this level and the next */
    VEC(struct page_tree_span) spans;             /* by node: its parts */
    VEC(struct step) steps;                       /* of the node in hand, and so are these */
    VEC(struct page_group) groups;
    VEC(uint32_t) order;    /* of the groups */
    VEC(uint32_t) group_of; /* by frame; good when the group there has the same frame */
};

static size_t stacks_of(const struct page_builder *builder)
{
    size_t const in_table = (size_t)stack_table_count(builder->recording->stacks) + 1;
    size_t const in_sums = running_stacks(builder->running);
    return in_table < in_sums ? in_table : in_sums;
}

static uint64_t *sums_of(const struct page_builder *builder, size_t stack)
{
    INVARIANT(stack < stacks_of(builder));
    return builder->sums + stack * builder->options.width;
}

static bool has_any(const uint64_t *sums, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        if (sums[i])
            return true;
    return false;
}

static int weigh_all(struct page_builder *builder)
{
    unsigned const width = builder->options.width;
    builder->sums = calloc(stacks_of(builder) + 1, width * sizeof(uint64_t));
    if (!builder->sums)
        return -ENOMEM;
    for (size_t stack = 0; stack < stacks_of(builder); stack++) {
        page_weigh(builder->running, (stack_id)stack, builder->options.unit_bytes,
                   sums_of(builder, stack), width);
        if (!page_sums_add(builder->all, sums_of(builder, stack), width))
            return -ERANGE;
    }
    return 0;
}

/* Innermost first: each stack that has something is a part of the root. */
static int begin_inside(struct page_builder *builder)
{
    for (size_t stack = 0; stack < stacks_of(builder); stack++)
        if (has_any(sums_of(builder, stack), builder->options.width) &&
            !vec_push(&builder->parts, (struct page_tree_part){(stack_id)stack, (stack_id)stack}))
            return -ENOMEM;
    return 0;
}

/* Outermost first: each stack is added to its caller, which has a smaller number, and listed
 * there. */
static int begin_outside(struct page_builder *builder)
{
    size_t const stacks = stacks_of(builder);
    builder->callee = calloc(stacks + 1, sizeof(stack_id));
    builder->sister = calloc(stacks + 1, sizeof(stack_id));
    if (!builder->callee || !builder->sister ||
        !vec_push(&builder->parts, (struct page_tree_part){STACK_EMPTY, STACK_EMPTY}))
        return -ENOMEM;
    for (size_t stack = stacks - 1; stack > 0; stack--) {
        stack_id const caller =
            stack_table_innermost(builder->recording->stacks, (stack_id)stack).caller;
        INVARIANT(caller < stack);
        if (!has_any(sums_of(builder, stack), builder->options.width))
            continue;
        page_sums_add(sums_of(builder, caller), sums_of(builder, stack), builder->options.width);
        builder->sister[stack] = builder->callee[caller];
        builder->callee[caller] = (stack_id)stack;
    }
    return 0;
}

static struct page_group *group_of_frame(struct page_builder *builder, uint32_t frame)
{
    while (builder->group_of.count <= frame)
        if (!vec_push(&builder->group_of, 0))
            return NULL;
    uint32_t const at = builder->group_of.items[frame];
    if (at < builder->groups.count && builder->groups.items[at].frame == frame)
        return &builder->groups.items[at];
    builder->group_of.items[frame] = (uint32_t)builder->groups.count;
    if (!vec_push(&builder->groups, (struct page_group){.frame = frame}))
        return NULL;
    return &builder->groups.items[builder->groups.count - 1];
}

/* `part` goes on with this frame of the recording. */
static int add_step(struct page_builder *builder, uint32_t frame, struct page_tree_part part)
{
    int64_t const found = page_frames_find(&builder->tree->frames, frame);
    struct page_group *group = found < 0 ? NULL : group_of_frame(builder, (uint32_t)found);
    if (!group)
        return -ENOMEM;
    group->parts++;
    page_sums_add(group->sums, sums_of(builder, part.stack), builder->options.width);
    INVARIANT(group->parts > 0);
    uint32_t const at = (uint32_t)(group - builder->groups.items);
    return vec_push(&builder->steps, (struct step){at, part}) ? 0 : -ENOMEM;
}

static int step_inward_out(struct page_builder *builder, struct page_tree_part part, uint64_t *own)
{
    struct stack_link const link = stack_table_innermost(builder->recording->stacks, part.rest);
    if (part.rest != STACK_EMPTY)
        return add_step(builder, link.frame, (struct page_tree_part){part.stack, link.caller});
    page_sums_add(own, sums_of(builder, part.stack), builder->options.width);
    return 0;
}

static int step_outward_in(struct page_builder *builder, struct page_tree_part part, uint64_t *own)
{
    uint64_t sums[PAGE_SUMS] = {0};
    int err = 0;
    page_weigh(builder->running, part.stack, builder->options.unit_bytes, sums,
               builder->options.width);
    page_sums_add(own, sums, builder->options.width);
    for (stack_id stack = builder->callee[part.stack]; stack && !err;
         stack = builder->sister[stack])
        err = add_step(builder, stack_table_innermost(builder->recording->stacks, stack).frame,
                       (struct page_tree_part){stack, stack});
    return err;
}

static int compare_groups(const void *left, const void *right, void *self)
{
    const struct page_builder *builder = self;
    const struct page_group *a = &builder->groups.items[*(const uint32_t *)left];
    const struct page_group *b = &builder->groups.items[*(const uint32_t *)right];
    const struct page_frame *frames = builder->tree->frames.items.items;
    if (a->sums[PAGE_SUM_VALUE] != b->sums[PAGE_SUM_VALUE])
        return a->sums[PAGE_SUM_VALUE] > b->sums[PAGE_SUM_VALUE] ? -1 : 1;
    int const names = page_frame_compare(builder->recording, &frames[a->frame], &frames[b->frame]);
    return names ? names : a->frame < b->frame ? -1 : a->frame > b->frame;
}

static int add_node(struct page_builder *builder, struct page_node node, const uint64_t *totals,
                    struct page_tree_span span)
{
    struct page_tree *tree = builder->tree;
    unsigned const width = tree->width;
    INVARIANT(tree->totals.count == tree->nodes.count * width);
    if (tree->nodes.count == builder->options.nodes_most)
        return -EFBIG;
    if (!vec_reserve(&tree->totals, width) || !vec_reserve(&tree->own, width) ||
        !vec_push(&builder->spans, span) || !vec_push(&tree->nodes, node))
        return -ENOMEM;
    memcpy(tree->totals.items + tree->totals.count, totals, width * sizeof(uint64_t));
    memset(tree->own.items + tree->own.count, 0, width * sizeof(uint64_t));
    tree->totals.count += width;
    tree->own.count += width;
    return 0;
}

/* The groups that are large enough become nodes, in order. */
static int add_children(struct page_builder *builder, uint32_t parent)
{
    struct page_tree *tree = builder->tree;
    uint32_t const first = (uint32_t)tree->nodes.count;
    int err = 0;
    builder->order.count = 0;
    for (uint32_t i = 0; i < builder->groups.count; i++) {
        builder->groups.items[i].at = UINT32_MAX;
        if (builder->groups.items[i].sums[PAGE_SUM_VALUE] >= builder->options.threshold &&
            !vec_push(&builder->order, i))
            return -ENOMEM;
    }
    if (builder->order.count > 1)
        qsort_r(builder->order.items, builder->order.count, sizeof(uint32_t), compare_groups,
                builder);
    for (size_t i = 0; i < builder->order.count && !err; i++) {
        struct page_group *group = &builder->groups.items[builder->order.items[i]];
        group->at = (uint32_t)builder->next_parts.count;
        if (!vec_reserve(&builder->next_parts, group->parts))
            return -ENOMEM;
        builder->next_parts.count += group->parts;
        err = add_node(builder, (struct page_node){.frame = group->frame, .parent = parent},
                       group->sums, (struct page_tree_span){group->at, group->parts});
    }
    tree->nodes.items[parent].first_child = first;
    INVARIANT(parent < first);
    tree->nodes.items[parent].child_count = (uint32_t)(tree->nodes.count - first);
    return err;
}

static int grow_node(struct page_builder *builder, uint32_t node)
{
    struct page_tree_span const span = builder->spans.items[node];
    INVARIANT(span.count == 0 || span.begin + span.count <= builder->parts.count);
    uint64_t own[PAGE_SUMS] = {0};
    int err = 0;
    builder->steps.count = builder->groups.count = 0;
    const struct page_tree_part *parts =
        builder->parts.items; /* NULL only when the span is empty, too */
    for (uint32_t i = 0; parts && i < span.count && !err; i++) {
        struct page_tree_part const part = parts[span.begin + i];
        err = builder->options.outermost_first ? step_outward_in(builder, part, own)
                                               : step_inward_out(builder, part, own);
    }
    memcpy(builder->tree->own.items + (size_t)node * builder->tree->width, own,
           builder->tree->width * sizeof(uint64_t));
    if (!err)
        err = add_children(builder, node);
    for (size_t i = 0; i < builder->steps.count && !err; i++) {
        struct page_group *group = &builder->groups.items[builder->steps.items[i].group];
        if (group->at != UINT32_MAX)
            builder->next_parts.items[group->at++] = builder->steps.items[i].part;
    }
    return err;
}

/* What was made of a level is what the next is made of. */
static void next_level(struct page_builder *builder)
{
    __typeof__(builder->parts) const done = builder->parts;
    builder->parts = builder->next_parts;
    builder->next_parts = done;
    builder->next_parts.count = 0;
}

static int grow(struct page_builder *builder)
{
    int err = add_node(builder, (struct page_node){0}, builder->all,
                       (struct page_tree_span){0, (uint32_t)builder->parts.count});
    size_t level_end = 1;
    for (size_t node = 0; !err && node < builder->tree->nodes.count; node++) {
        if (node == level_end) {
            next_level(builder);
            level_end = builder->tree->nodes.count;
            INVARIANT(builder->spans.count == level_end);
        }
        err = grow_node(builder, (uint32_t)node);
    }
    return err;
}

static void builder_fini(struct page_builder *builder)
{
    free(builder->sums);
    free(builder->callee);
    free(builder->sister);
    vec_free(&builder->parts);
    vec_free(&builder->next_parts);
    vec_free(&builder->spans);
    vec_free(&builder->steps);
    vec_free(&builder->groups);
    vec_free(&builder->order);
    vec_free(&builder->group_of);
}

int page_tree_build(const struct recording *recording, const struct running *running,
                    const struct page_tree_options *options, struct page_tree *tree)
{
    struct page_builder builder = {
        .recording = recording, .running = running, .options = *options, .tree = tree};
    *tree = (struct page_tree){.width = options->width, .frames.recording = recording};
    int err = weigh_all(&builder);
    if (!err)
        err = options->outermost_first ? begin_outside(&builder) : begin_inside(&builder);
    if (!err)
        err = grow(&builder);
    builder_fini(&builder);
    if (err)
        page_tree_fini(tree);
    return err;
}

void page_tree_fini(struct page_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->totals);
    vec_free(&tree->own);
    page_frames_fini(&tree->frames);
}

void page_tree_left_out(const struct page_tree *tree, size_t node, uint64_t *sums)
{
    INVARIANT(node < tree->nodes.count);
    const struct page_node *parent = &tree->nodes.items[node];
    for (unsigned i = 0; i < tree->width; i++)
        sums[i] = page_tree_totals(tree, node)[i] - page_tree_own(tree, node)[i];
    for (uint32_t child = 0; child < parent->child_count; child++)
        for (unsigned i = 0; i < tree->width; i++)
            sums[i] -= page_tree_totals(tree, parent->first_child + child)[i];
}
