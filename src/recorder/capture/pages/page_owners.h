/* page_owners.h - who owns each resident page of a process.
 *
 * A page with live blocks belongs to them.  The bytes that were asked for are live.  The blocks
 * hold what they have beyond that, and the rest of the page, which the blocks of the page share
 * equally.  Any other page belongs to the range that the program named or mapped there itself, else
 * to the area that it is in.  So every byte has one owner, and all of them add up to the given
 * pages.  No I/O; not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "capture/books/block_table.h"
#include "model/memory/owner.h"

#define OWNER_PAGE   4096u
#define OWNER_NOBODY UINT32_MAX /* In place of a name. */

struct page_span {
    uint64_t start, end; /* Multiples of OWNER_PAGE. */
};

/* A mapping, and what it is if nothing more is known. */
struct owner_area {
    uint64_t start, end;
    enum owner_kind kind;
    uint32_t name;    /* A number with a meaning for the caller. */
    bool may_be_heap; /* Anonymous: once a block is in it, its other pages are the heap's. */
    /* In no file: if the program mapped it itself, its pages belong to that mapping, whatever else
     * is known. */
    bool is_memory;
};

/* Memory that the program mapped or named itself. */
struct owner_range {
    uint64_t start, end;
    uint32_t site;
};

/* Called for bytes that belong only to the area, in order of address. */
struct area_visitor {
    /* May be NULL. */
    void (*visit)(void *self, enum owner_kind kind, uint64_t start, uint64_t end);
    void *self;
};

struct page_question {
    /* All lists are ordered by address, without overlaps in a list. */
    const struct page_span *present;
    const struct owner_area *areas;
    const struct owner_range *named, *mapped;
    size_t present_count, area_count, named_count, mapped_count;
    const struct block_table *blocks;
    struct area_visitor areas_visitor;
    uint32_t site_count; /* Sites of blocks and ranges are below this. */
    /* Anonymous memory outside all blocks and known mappings is from before the recording: BEFORE
     * instead of HELD, KEPT and OTHER. */
    bool is_attached;
    /* What was mapped when the recording began, by address: memory elsewhere came later.  NULL: it
     * may have been anywhere. */
    const struct page_span *earlier;
    size_t earlier_count;
};

/* `who` is a site or, for other kinds, the `name` of the area. */
struct owned {
    enum owner_kind kind;
    uint32_t who;
    uint64_t bytes;
};

struct page_owners {
    VEC(struct owned) owned; /* By kind and who; none twice, none of 0 bytes. */
    uint64_t bytes;          /* Of all. */
    uint64_t untouched;      /* Asked for, live, and not resident. */
    uint64_t reserved;       /* Mapped by the program itself, from no file, and not resident. */
};

/* Returns whether memory at `at` that is in no block may be from before the recording; lowers *end
 * to where that changes. */
bool page_is_earlier(const struct page_question *question, uint64_t at, uint64_t *end);

int owned_compare(const void *left, const void *right); /* For qsort: by kind and who. */

/* Returns 0 or -ENOMEM. */
int page_owners_find(const struct page_question *question, struct page_owners *owners);
void page_owners_fini(struct page_owners *owners);

static inline bool owner_has_site(enum owner_kind kind)
{
    return kind == OWNER_LIVE || kind == OWNER_HELD || kind == OWNER_MAPPED;
}
