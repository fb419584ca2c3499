/* diff_tree.h - a call tree of two weighings, with both numbers at each node, what it calls
 * included.
 *
 * The value of a node is what both sides have there together (before * factor + after, each
 * without its sign): that is how wide it is drawn.  Such widths add up at every level, a stack
 * that is gone keeps the width it had and one that is new has the one it got. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "analyze/diff/diff_noise.h"
#include "analyze/diff/stack_union.h"

struct diff_node {
    struct diff_values all, self; /* with what it calls, and of stacks that end here */
    enum diff_change change;      /* of `all` */
};

struct diff_tree {
    struct call_tree tree;       /* of the union's recording */
    VEC(struct diff_node) nodes; /* one per node of the tree */
    struct diff_noise noise;
    const char *unit;
    /* what nodes gained and lost by themselves, all together; shrunk is positive */
    double grown, shrunk;
};

/* 0 or -ENOMEM. */
int diff_tree_build(const struct stack_union *all, const struct diff_noise *noise, bool bottom_up,
                    struct diff_tree *tree);
void diff_tree_fini(struct diff_tree *tree);
