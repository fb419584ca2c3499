/* sandwich.h - one function with its callers and its callees.
 *
 * Each stack counts once, even if the function is in it several times: it is divided at the
 * outermost occurrence, callers outward, callees inward.  So both trees have the function's
 * total, and a recursive call of the function is among its own callees. */
#pragma once

#include "analyze/trees/call_tree.h"

struct sandwich {
    /* The root is the function, its children are its callers.  The self value of a node is of
     * stacks that begin there. */
    struct call_tree callers;
    struct call_tree callees;         /* The root is the function, its children are its callees. */
    int64_t again_value, again_count; /* Of stacks that contain the function more than once. */
};

/* Builds both trees from a top-down tree that merges by function.  Returns 0 or -ENOMEM; call
 * sandwich_fini after success. */
int sandwich_build(struct recording *recording, const struct call_tree *tree, string_id function,
                   string_id module, struct sandwich *sandwich);
void sandwich_fini(struct sandwich *sandwich);
