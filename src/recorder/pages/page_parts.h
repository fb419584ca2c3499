/* page_parts.h - bytes per owner and kind, and what changed from one time to the next. */
#pragma once

#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "model/page_kind.h"

struct page_part {
    uint32_t stack; /* or a PAGES_... of page_book.h */
    enum page_kind kind;
    int64_t bytes;
};

struct page_parts {             /* all zero to begin */
    VEC(struct page_part) list; /* by stack and kind, none twice, none of 0 bytes */
};

/* Counts of pages are kept in number maps, by: */
static inline uint64_t page_owner_key(uint32_t stack, enum page_kind kind)
{
    return (uint64_t)stack << 8 | (uint64_t)kind | 0x80; /* never 0 */
}

/* What `now` has more, or less (negative), than `before`.  0 or -ENOMEM: then `parts` is empty. */
int page_parts_compare(const struct number_map *before, const struct number_map *now,
                       struct page_parts *parts);
void page_parts_fini(struct page_parts *parts);
