/* rank.h - weights as a flat list: one row per function, line, module, thread or whole stack.
 *
 * `self` is what a row asked for itself (it is the innermost visible frame), `total` is all that
 * was asked for beneath it; a function that is in a stack several times counts once. */
#pragma once

#include "analyze/trees/call_tree.h"

/* BY_PHASE is none of these lists: see phases.h. */
enum grouping { BY_STACK, BY_FUNCTION, BY_MODULE, BY_THREAD, BY_LINE, BY_PHASE };

struct rank_row {
    string_id function, module, file; /* of the innermost frame; all empty for what has no stack */
    uint32_t line;
    bool inlined;
    uint32_t node;   /* BY_STACK: its node of the tree, whose parents are the callers */
    uint32_t thread; /* BY_THREAD: index into the recording's threads */
    int64_t self_value, self_count;
    int64_t total_value, total_count;
    int64_t self_spread, total_spread; /* of the values: see struct weight */
    uint32_t made;                     /* the how-manieth row it was before sorting */
};

struct rank {
    enum grouping by;
    VEC(struct rank_row) rows; /* by |self|, then |total|, falling; then by names */
    uint32_t *row_of_weight;   /* the row whose `self` each row of the weights went to */
    struct call_tree tree;     /* BY_STACK: what the rows point into */
};

/* `weights` are by stack, for BY_THREAD by thread.  0 or -ENOMEM.  Call rank_fini after success. */
int rank_build(struct recording *recording, const struct weights *weights, enum grouping by,
               struct rank *rank);
void rank_fini(struct rank *rank);
