/* call_nodes.h - makes a call tree, node by node; for whatever arranges weights as one.
 *
 * Nodes are found by their parent and what makes a node; a child always has a larger index than its parent.  Values are
 * put where stacks end (self_value, self_count) and summed toward the root once, at the end. */
#pragma once

#include "analyze/call_tree.h"

struct call_nodes {
    struct recording *recording;
    struct call_tree *tree; /* nodes[0] is there already */
    enum tree_merge merge;
    uint32_t *slots; /* open addressing: node index, 0 when free */
    size_t slot_mask;
};

/* The child of `parent` for `frame`, made when it is not there.  0 or -ENOMEM. */
int call_nodes_find(struct call_nodes *nodes, uint32_t parent, const struct shown_frame *frame,
                    uint32_t *child);
void call_nodes_fini(struct call_nodes *nodes); /* the tree stays */

/* When all are there: `value` and `count` from what each has itself, then siblings in order.  The latter 0 or -ENOMEM. */
void call_nodes_sum(struct call_tree *tree);
int call_nodes_link(const struct recording *recording, struct call_tree *tree);
