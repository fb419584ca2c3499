/* site_callers.h - call sites by size, with a tree of callers for those sites alone that are
 * shown.
 *
 * Callers of different sites share nothing: a tree of all of them is many times as large as the
 * stacks themselves. */
#pragma once

#include "analyze/trees/call_tree.h"

struct site_question {
    enum tree_merge merge;
    uint32_t max_levels;                                  /* of callers, about */
    uint64_t top;                                         /* sites at most */
    bool reverse;                                         /* the smallest first */
    bool (*is_small)(const void *context, int64_t value); /* too small to be looked at */
    const void *context;
    double least_share; /* callers' callers only of what has so much of its site; 0: of all */
};

struct site_callers {
    /* bottom-up, of the chosen sites; nodes[0] has what is in no stack as its own */
    struct call_tree tree;
    uint64_t left_out; /* sites that were not chosen, and what they come to */
    int64_t left_out_value;
};

/* 0 or -ENOMEM. */
int site_callers_build(struct recording *recording, const struct weights *weights,
                       const struct site_question *question, struct site_callers *callers);
void site_callers_fini(struct site_callers *callers);
