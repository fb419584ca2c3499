/* page_parts.h - bytes per owner and page kind, and the change between two looks. */
#pragma once

#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "model/memory/page_kind.h"

struct page_part {
    uint32_t stack; /* Owner: a call stack or a PAGES_... of page_book.h. */
    enum page_kind kind;
    int64_t bytes;
};

/* Initialise with zeros. */
struct page_parts {
    /* Sorted by stack and kind; no duplicates, no entry of 0 bytes. */
    VEC(struct page_part) list;
};

/* Key for number maps that count pages by owner and kind. */
static inline uint64_t page_owner_key(uint32_t stack, enum page_kind kind)
{
    return (uint64_t)stack << 8 | (uint64_t)kind | 0x80; /* Never 0. */
}

/* Fills `parts` with the change from `before` to `now`; a decrease is negative.  Both map
 * page_owner_key to a number of pages.  Returns 0, or -ENOMEM with empty `parts`. */
int page_parts_compare(const struct number_map *before, const struct number_map *now,
                       struct page_parts *parts);
void page_parts_fini(struct page_parts *parts);
