/* call_nodes.h - builds a call tree node by node, for code that rearranges another tree.
 *
 * Nodes are found by their parent and their kind; a child always has a larger index than its
 * parent.  The caller sets values where stacks end (self_value, self_count); call_nodes_sum sums
 * them toward the root once, at the end. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "base/pair_index.h"

struct call_nodes {
    struct call_tree *tree;
    struct pair_index index; /* (parent, kind) to node. */
};

/* Begins an empty tree with this root.  Returns 0 or -ENOMEM. */
int call_nodes_begin(struct call_nodes *nodes, struct call_tree *tree, struct call_node root);
/* Finds the child of `parent` that has the kind of `like`; adds it if there is none.  Returns 0
 * or -ENOMEM. */
int call_nodes_find(struct call_nodes *nodes, uint32_t parent, const struct call_node *like,
                    uint32_t *child);
void call_nodes_fini(struct call_nodes *nodes); /* Frees the index; the tree stays. */

/* Compares by what is displayed: function, line, module, file.  0 when all are equal. */
int call_node_compare(const struct recording *recording, const struct call_node *a,
                      const struct call_node *b);

/* Merges another place of the function into the node: fields that differ become unknown. */
void call_node_blur(struct call_node *node, const struct shown_frame *frame);

/* Call when all nodes are added: computes `value` and `count` from the self values. */
void call_nodes_sum(struct call_tree *tree);
/* Links children to their parents in order, after call_nodes_sum.  Returns 0 or -ENOMEM. */
int call_nodes_link(const struct recording *recording, struct call_tree *tree);
