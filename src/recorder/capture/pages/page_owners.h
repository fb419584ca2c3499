/* page_owners.h - whose each resident page of a process is.
 *
 * A page with live blocks belongs to them: what they asked for is live; what they have beyond
 * that, and the rest of the page, they hold, and each block on a page has an equal share of the
 * rest.  Any other page belongs to the range that the program named or mapped there itself, or
 * else to the area it is in.  So every byte has one owner, and all add up to the pages that were
 * given.  No I/O; not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/books/block_table.h"
#include "model/memory/owner.h"

#define OWNER_PAGE   4096u
#define OWNER_NOBODY UINT32_MAX /* in place of a name */

struct page_span {
    uint64_t start, end; /* multiples of OWNER_PAGE */
};

/* A mapping, and what it is when nobody has more to say. */
struct owner_area {
    uint64_t start, end;
    enum owner_kind kind;
    uint32_t name;    /* a number for who asks */
    bool may_be_heap; /* anonymous: once a block is in it, its other pages are the heap's */
    /* in no file: if the program mapped it itself, it is the mapping's whatever else is known */
    bool is_memory;
};

/* Memory that the program mapped or named itself. */
struct owner_range {
    uint64_t start, end;
    uint32_t site;
};

/* Told of bytes that are nobody's but the area's, in order of address. */
struct area_visitor {
    void (*visit)(void *self, enum owner_kind kind, uint64_t start, uint64_t end); /* or NULL */
    void *self;
};

struct page_question {
    /* all by address, none overlapping another of its list */
    const struct page_span *present;
    const struct owner_area *areas;
    const struct owner_range *named, *mapped;
    size_t present_count, area_count, named_count, mapped_count;
    const struct block_table *blocks;
    struct area_visitor areas_visitor;
    uint32_t site_count; /* the sites of blocks and ranges are below it */
    /* anonymous memory that is in no block and no mapping we saw is from before us: BEFORE
     * instead of HELD, KEPT and OTHER */
    bool is_attached;
    /* what was mapped then, by address: memory elsewhere came later; NULL: it may have been
     * anywhere */
    const struct page_span *earlier;
    size_t earlier_count;
};

/* By site or, of others, by `name` of the area. */
struct owned {
    enum owner_kind kind;
    uint32_t who;
    uint64_t bytes;
};

struct page_owners {
    VEC(struct owned) owned; /* by kind and who; none twice, none of 0 bytes */
    uint64_t bytes;          /* of all */
    uint64_t untouched;      /* asked for, live, and not resident */
    uint64_t reserved;       /* mapped by the program itself, from no file, and not resident */
};

/* Whether what is in no block at `at` may be from before us; *end comes down to where that
 * changes. */
bool page_is_earlier(const struct page_question *question, uint64_t at, uint64_t *end);

int owned_compare(const void *left, const void *right); /* for qsort: by kind and who */

/* 0 or -ENOMEM. */
int page_owners_find(const struct page_question *question, struct page_owners *owners);
void page_owners_fini(struct page_owners *owners);

static inline bool owner_has_site(enum owner_kind kind)
{
    return kind == OWNER_LIVE || kind == OWNER_HELD || kind == OWNER_MAPPED;
}
