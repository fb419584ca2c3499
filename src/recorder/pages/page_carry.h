/* page_carry.h - cells whose keys are stacks of one recording, or owners that are no stack, into a bucket of another. */
#pragma once

#include "model/recording.h"

struct stack_intern;

/* All zero to begin. */
struct page_carry {
    struct stack_intern *intern; /* of the recording that they go to, which is ... */
    const struct recording *to;  /* ... this one; NULL: none yet */
    VEC(struct cell)
    names; /* owners that are no stack: key, and as value the stack that is their name */
};

/* Adds `cells`, one for each key and column, to `bucket`.  Where `to` is another one than the last time, what was
 * remembered of that is forgotten.  0 or -ENOMEM. */
int page_carry(struct page_carry *carry, const struct recording *from, struct recording *to,
               struct cell *cells, size_t count, struct bucket *bucket);
void page_carry_fini(struct page_carry *carry);
