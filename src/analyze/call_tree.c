/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/shown_frame.h"
#include "base/hash.h"

/* Nodes are found by (parent, what makes a node); a child always has a larger index than its
 * parent. Values are first put where stacks end and summed toward the root once, at the end. */
struct builder {
    struct recording *recording;
    struct call_tree *tree;
    enum tree_merge merge;
    bool bottom_up;
    bool shows_allocator; /* time in malloc is malloc's; memory is of who asked */
    uint32_t max_levels;  /* bottom-up: callers further out are left out */
    uint32_t *slots;      /* open addressing: node index, 0 when free */
    size_t slot_mask;
    uint32_t *node_of_stack;       /* top-down: the node of each stack walked so far, 0 when none */
    VEC(struct shown_frame) shown; /* every line of every frame ... */
    uint32_t *first_shown;         /* ... frame f has [first_shown[f], first_shown[f + 1]) */
    VEC(struct shown_frame) lines; /* of the stack at hand, innermost first */
    VEC(stack_id) climb;
};

static void builder_fini(struct builder *builder)
{
    free(builder->slots);
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

static bool is_same_node(enum tree_merge merge, const struct call_node *node,
                         const struct shown_frame *frame)
{
    if (node->module != frame->module)
        return false;
    if (merge == MERGE_MODULE)
        return true;
    if (node->function != frame->function)
        return false;
    return merge == MERGE_FUNCTION || (node->file == frame->file && node->line == frame->line &&
                                       node->inlined == frame->inlined);
}

static uint64_t hash_node(enum tree_merge merge, uint32_t parent, const struct shown_frame *frame)
{
    uint64_t hash = hash_mix(((uint64_t)parent << 32 | frame->module) + 1); /* NOLINT: never NULL */
    if (merge != MERGE_MODULE)
        hash = hash_mix(hash ^ frame->function);
    if (merge == MERGE_LINE)
        hash = hash_mix(hash ^ ((uint64_t)frame->file << 32 | frame->line)) + frame->inlined;
    return hash;
}

static struct shown_frame node_frame(const struct call_node *node)
{
    return (struct shown_frame){node->function, node->module, node->file, node->line,
                                node->inlined};
}

static int grow_slots(struct builder *builder)
{
    size_t const room = builder->slots ? 2 * (builder->slot_mask + 1) : 1024;
    uint32_t *slots = calloc(room, sizeof(*slots));
    if (!slots)
        return -ENOMEM;
    for (uint32_t i = 1; i < builder->tree->nodes.count; i++) {
        const struct call_node *node = &builder->tree->nodes.items[i];
        struct shown_frame const frame = node_frame(node);
        size_t at = hash_node(builder->merge, node->parent, &frame) & (room - 1);
        while (slots[at])
            at = (at + 1) & (room - 1);
        slots[at] = i;
    }
    free(builder->slots);
    builder->slots = slots;
    builder->slot_mask = room - 1;
    return 0;
}

static int add_node(struct builder *builder, uint32_t parent, struct shown_frame frame,
                    uint32_t *index)
{
    struct recording *recording = builder->recording;
    struct call_node node = {frame.function, frame.module,  frame.file,
                             frame.line,     frame.inlined, .parent = parent};
    if (builder->merge == MERGE_MODULE) {
        const char *path = recording_text(recording, frame.module);
        node.function = recording_intern(recording, *path ? path_basename(path) : "[unknown]");
        node.file = STRING_EMPTY;
        node.line = 0;
        node.inlined = false;
    }
    if (builder->tree->nodes.count >= UINT32_MAX || !vec_push(&builder->tree->nodes, node))
        return -ENOMEM;
    *index = (uint32_t)builder->tree->nodes.count - 1;
    return 0;
}

/* Several places of one function in one node: what they do not share is left open. */
static void blur_node(struct call_node *node, const struct shown_frame *frame)
{
    if (node->file != frame->file)
        node->file = STRING_EMPTY;
    if (node->line != frame->line || !node->file)
        node->line = 0;
    node->inlined = node->inlined && frame->inlined;
}

/* The child of `parent` for `frame`, made when it is not there. */
static int descend(struct builder *builder, uint32_t parent, const struct shown_frame *frame,
                   uint32_t *child)
{
    struct call_tree *tree = builder->tree;
    if (builder->merge == MERGE_MODULE && parent &&
        tree->nodes.items[parent].module == frame->module) {
        *child = parent; /* a module calling itself is one step */
        return 0;
    }
    if (!builder->slots || 2 * tree->nodes.count > builder->slot_mask)
        if (grow_slots(builder) < 0)
            return -ENOMEM;
    size_t at = hash_node(builder->merge, parent, frame) & builder->slot_mask;
    for (; builder->slots[at]; at = (at + 1) & builder->slot_mask) {
        struct call_node *node = &tree->nodes.items[builder->slots[at]];
        if (node->parent == parent && is_same_node(builder->merge, node, frame)) {
            if (builder->merge == MERGE_FUNCTION)
                blur_node(node, frame);
            *child = builder->slots[at];
            return 0;
        }
    }
    int err = add_node(builder, parent, *frame, child);
    if (!err)
        builder->slots[at] = *child;
    return err;
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
            if (descend(builder, *node, &builder->shown.items[i], node) < 0)
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
        err = descend(builder, *node, &builder->shown.items[i], node);
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
            if (descend(builder, *node, &builder->shown.items[i], node) < 0)
                return -ENOMEM;
        hidden = 0;
    }
    return 0;
}

static void sum_toward_root(struct call_tree *tree)
{
    for (size_t i = 0; i < tree->nodes.count; i++) {
        tree->nodes.items[i].value = tree->nodes.items[i].self_value;
        tree->nodes.items[i].count = tree->nodes.items[i].self_count;
    }
    for (size_t i = tree->nodes.count; i-- > 1;) {
        const struct call_node *node = &tree->nodes.items[i];
        struct call_node *parent = &tree->nodes.items[node->parent];
        parent->value = (int64_t)((uint64_t)parent->value + (uint64_t)node->value);
        parent->count = (int64_t)((uint64_t)parent->count + (uint64_t)node->count);
    }
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Falling by size; by name where equal, so that the same recording always reads the same. */
static int compare_siblings(const void *left, const void *right, void *context)
{
    const struct builder *builder = context;
    const struct call_node *a = &builder->tree->nodes.items[*(const uint32_t *)left];
    const struct call_node *b = &builder->tree->nodes.items[*(const uint32_t *)right];
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    if (magnitude(a->value) != magnitude(b->value))
        return magnitude(a->value) > magnitude(b->value) ? -1 : 1;
    if (magnitude(a->count) != magnitude(b->count))
        return magnitude(a->count) > magnitude(b->count) ? -1 : 1;
    int const by_name = strcmp(recording_text(builder->recording, a->function),
                               recording_text(builder->recording, b->function));
    return by_name ? by_name : a->line < b->line ? -1 : a->line > b->line;
}

static int link_siblings(struct builder *builder)
{
    struct call_tree *tree = builder->tree;
    size_t const count = tree->nodes.count - 1; /* without the root */
    uint32_t *order = malloc((count + 1) * sizeof(*order) + 1);
    if (!order)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i + 1;
    qsort_r(order, count, sizeof(*order), compare_siblings, builder);
    for (size_t i = count; i-- > 0;) {
        struct call_node *node = &tree->nodes.items[order[i]];
        node->next_sibling = tree->nodes.items[node->parent].first_child;
        tree->nodes.items[node->parent].first_child = order[i];
    }
    free(order);
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
    sum_toward_root(builder->tree);
    return link_siblings(builder);
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
                              .merge = merge,
                              .bottom_up = bottom_up,
                              .max_levels = UINT32_MAX};
    return build(&builder, weights);
}

int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree)
{
    struct builder builder = {.recording = recording,
                              .tree = tree,
                              .merge = merge,
                              .bottom_up = true,
                              .max_levels = max_levels};
    return build(&builder, weights);
}

void call_tree_fini(struct call_tree *tree)
{
    vec_free(&tree->nodes);
    vec_free(&tree->leaves);
}
