/* page_carry.h - copies cells into a bucket of another recording.  The keys of the cells are stacks
 * of the source recording, or owners that are not stacks (PAGES_... of page_book.h). */
#pragma once

#include "model/recording.h"

struct stack_intern;

/* State that is kept between calls.  Initialise with zeros. */
struct page_carry {
    struct stack_intern *intern; /* Stacks that were already copied to the recording `to`. */
    const struct recording *to;  /* Recording of the last call; NULL: there was no call yet. */
    /* Owners that are not stacks: key is the owner, value is the stack that stands for its name. */
    VEC(struct cell) names;
};

/* Adds `cells` to `bucket`, summed up to one cell per key and column.  Sorts `cells`.  If `to` is
 * not the recording of the last call, the remembered stacks and names are dropped first.  Returns 0
 * or -ENOMEM. */
int page_carry(struct page_carry *carry, const struct recording *from, struct recording *to,
               struct cell *cells, size_t count, struct bucket *bucket);
void page_carry_fini(struct page_carry *carry);
