/* sandwich.h - one function between those who call it and those whom it calls.
 *
 * Each stack counts once, however often the function is in it: from its outermost occurrence on, outward its callers, inward
 * its callees.  So both trees have the function's total, and where it comes again it stands among its own callees. */
#pragma once

#include "analyze/trees/call_tree.h"

struct sandwich {
    struct call_tree
        callers; /* the root is the function, its children who called it; what a node has itself came from
                                 nobody further out */
    struct call_tree callees;         /* the root is the function, its children whom it called */
    int64_t again_value, again_count; /* of stacks that it is in more than once */
};

/* From a tree that goes top-down and merges by function.  0 or -ENOMEM; call sandwich_fini after success. */
int sandwich_build(struct recording *recording, const struct call_tree *tree, string_id function,
                   string_id module, struct sandwich *sandwich);
void sandwich_fini(struct sandwich *sandwich);
