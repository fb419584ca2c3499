/* stack_union.h - the stacks of two recordings as stacks of one, under names that are the same
 * in both.
 *
 * What diff.h does row by row, for whole trees: frames are matched as site_key.h says, so that
 * recordings of different builds compare.  The names shown are those of the newer one where it
 * has them. */
#pragma once

#include "analyze/diff/diff.h"

struct stack_union {
    struct recording *recording;  /* what of the newer one is no stack, and the stacks of both */
    struct weights before, after; /* their rows, in their order; `key` is a stack of `recording` */
};

/* 0 or -ENOMEM.  The sides are not needed any more afterwards. */
int stack_union_build(struct diff_side before, struct diff_side after, struct stack_union *all);
void stack_union_fini(struct stack_union *all);
