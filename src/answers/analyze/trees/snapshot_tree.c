/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/snapshot_tree.h"

#include <errno.h>

#include "analyze/trees/call_tree.h"

struct snapshot_grower {
    const struct call_tree *calls;
    struct tree_limits limits;
    struct snapshot_tree *tree;
    bool failed;
};

static const struct call_node *node_at(const struct snapshot_grower *grower, uint32_t index)
{
    return &grower->calls->nodes.items[index];
}

static void put(struct snapshot_grower *grower, struct tree_line line)
{
    grower->failed |= !vec_push(&grower->tree->lines, line);
}

/* What goes on the one line for all that is small under a node, and the line for what ends at
 * it. */
struct leftovers {
    int64_t small_bytes, end_bytes;
    uint32_t small_places, shown;
};

static struct leftovers leftovers_of(const struct snapshot_grower *grower, uint32_t parent)
{
    struct leftovers left = {0};
    for (uint32_t i = node_at(grower, parent)->first_child; i;
         i = node_at(grower, i)->next_sibling) {
        int64_t const bytes = node_at(grower, i)->value;
        if (bytes >= grower->limits.least) {
            left.shown++;
        } else {
            left.small_bytes += bytes;
            left.small_places++;
        }
    }
    if (node_at(grower, parent)->first_child)
        left.end_bytes = node_at(grower, parent)->self_value;
    return left;
}

/* Puts the leftover lines that are larger than `bytes`, so that all stay in order. */
static void put_leftovers(struct snapshot_grower *grower, struct leftovers *left, uint32_t depth,
                          int64_t bytes)
{
    for (;;) {
        bool const small_next = left->small_places && left->small_bytes >= left->end_bytes;
        if (small_next && left->small_bytes > bytes) {
            put(grower, (struct tree_line){.kind = TREE_LINE_SMALL,
                                           .depth = depth,
                                           .bytes = left->small_bytes,
                                           .places = left->small_places});
            left->small_places = 0;
        } else if (left->end_bytes > bytes && left->end_bytes > 0) {
            put(grower, (struct tree_line){
                            .kind = TREE_LINE_END, .depth = depth, .bytes = left->end_bytes});
            left->end_bytes = 0;
        } else {
            return;
        }
    }
}

/* The lines of what called `parent`.  Recursion is bounded by the depth asked for. */
static void put_children(struct snapshot_grower *grower, uint32_t parent, uint32_t depth) // NOLINT
{
    struct leftovers left = leftovers_of(grower, parent);
    size_t const of_parent = grower->tree->lines.count - 1;
    if (depth > grower->limits.depth || grower->failed)
        return;
    grower->tree->lines.items[of_parent].children =
        left.shown + (left.small_places > 0) + (left.end_bytes > 0);
    for (uint32_t i = node_at(grower, parent)->first_child; i && !grower->failed;
         i = node_at(grower, i)->next_sibling) {
        const struct call_node *node = node_at(grower, i);
        if (node->value < grower->limits.least)
            break; /* sorted by size */
        put_leftovers(grower, &left, depth, node->value);
        put(grower, (struct tree_line){TREE_LINE_PLACE, depth, 0, node->value, 0, node->function,
                                       node->module, node->file, node->line});
        if (!grower->failed)
            put_children(grower, i, depth + 1);
    }
    put_leftovers(grower, &left, depth, -1);
}

int snapshot_tree_build(struct recording *recording, const struct weights *weights,
                        struct tree_limits limits, struct snapshot_tree *tree)
{
    struct call_tree calls;
    *tree = (struct snapshot_tree){0};
    int const err =
        call_tree_build_callers(recording, weights, MERGE_LINE, limits.depth + 1, &calls);
    if (err)
        return err;
    struct snapshot_grower grower = {&calls, limits, tree, false};
    put(&grower, (struct tree_line){.kind = TREE_LINE_ROOT, .bytes = weights->total_value});
    if (!grower.failed)
        put_children(&grower, 0, 1);
    call_tree_fini(&calls);
    if (!grower.failed)
        return 0;
    snapshot_tree_fini(tree);
    return -ENOMEM;
}

void snapshot_tree_fini(struct snapshot_tree *tree)
{
    vec_free(&tree->lines);
}
