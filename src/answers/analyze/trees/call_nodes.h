/* call_nodes.h - makes a call tree, node by node; for whatever arranges nodes of another one anew.
 *
 * Nodes are found by their parent and their kind; a child always has a larger index than its parent.  Values are
 * put where stacks end (self_value, self_count) and summed toward the root once, at the end. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "base/pair_index.h"

struct call_nodes {
    struct call_tree *tree;
    struct pair_index index; /* of a parent and a kind: the number of the node */
};

/* An empty tree with this root.  0 or -ENOMEM. */
int call_nodes_begin(struct call_nodes *nodes, struct call_tree *tree, struct call_node root);
/* The child of `parent` that is of the kind of `like`, made when it is not there.  0 or -ENOMEM. */
int call_nodes_find(struct call_nodes *nodes, uint32_t parent, const struct call_node *like,
                    uint32_t *child);
void call_nodes_fini(struct call_nodes *nodes); /* the tree stays */

/* By what is shown of them: function, line, module, file.  0 when that is the same. */
int call_node_compare(const struct recording *recording, const struct call_node *a,
                      const struct call_node *b);

/* Several places of one function in one node: what they do not share is left open. */
void call_node_blur(struct call_node *node, const struct shown_frame *frame);

/* When all are there: `value` and `count` from what each has itself, then siblings in order.  The latter 0 or -ENOMEM. */
void call_nodes_sum(struct call_tree *tree);
int call_nodes_link(const struct recording *recording, struct call_tree *tree);
