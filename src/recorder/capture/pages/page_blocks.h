/* page_blocks.h - what live blocks own of the resident pages that they are in: one half of
 * page_owners. */
#pragma once

#include "capture/pages/page_owners.h"

struct page_blocks {
    uint64_t *live, *held;      /* Bytes by site. */
    VEC(struct page_span) used; /* Pages that blocks are in, resident or not; by address. */
    uint64_t unknown;           /* For an attached program: the rest of such pages. */
    uint64_t untouched;         /* Asked for, and not resident. */
};

/* Returns 0 or -ENOMEM. */
int page_blocks_find(const struct page_question *question, struct page_blocks *blocks);
void page_blocks_fini(struct page_blocks *blocks);

/* Returns whether a block is in the range. */
bool page_blocks_is_used(const struct page_blocks *blocks, uint64_t start, uint64_t end);
