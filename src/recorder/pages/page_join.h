/* page_join.h - finds the owner of every resident page of a process, from the page walk and the
 * page book.
 *
 * The page walk delivers runs in order of address; a leaf of the book is finished when the runs
 * have passed it.  Every page gets an owner and keeps it.  A page without a key gets one by the
 * first rule that applies (enum page_rule).  So the sums per owner always equal the sums of the
 * pages.  If two looks in a row find a page neither resident nor in swap, its key is removed from
 * the book, unless the key was written since the join began.  No I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "model/memory/page_kind.h"
#include "pages/page_book.h"
#include "pages/page_parts.h"

#define JOIN_PIECES_MAX BOOK_LEAF_PAGES
#define LOOK_KINDS      4u /* anon, file, shmem, swap */

/* Consecutive pages of one mapping that are of the same kind. */
struct join_run {
    uint64_t start, end; /* Addresses. */
    enum page_kind kind;
    bool is_huge;
    uint64_t area_start, area_end; /* Addresses of the mapping. */
};

/* The part of a run that is in one leaf. */
struct join_piece {
    uint64_t pages, area;          /* Bits of the leaf: pages of the run, pages of the mapping. */
    uint64_t area_start, area_end; /* Addresses of the mapping. */
    uint8_t kind;
    bool is_huge;
};

/* Number of pages that the kernel maps around a touched page of a file. */
#define JOIN_WINDOW 16u
/* The last pages of the previous leaf, as they were before this look settled them. */
struct join_edge {
    uint64_t number;              /* Number of the previous leaf. */
    uint32_t fresh;               /* Which of its last pages were touched since the last look. */
    uint32_t stacks[JOIN_WINDOW]; /* Stacks that touched these pages. */
    bool is_chained;              /* The last page came since the last look, by stack `chain`. */
    uint32_t chain;
};

/* Pages of a leaf that this look was the first to find. */
struct join_settled {
    uint64_t number, pages;
};

struct page_join {
    struct page_book *book;
    VEC(struct join_settled) settled;
    struct number_map pages; /* Number of pages by page_owner_key. */
    uint64_t bytes[LOOK_KINDS];
    uint64_t rule_bytes[PAGE_RULES]; /* Without swap: only kinds that are part of RSS. */
    uint64_t dropped;                /* Keys that were removed from the book. */
    bool has_failed;                 /* Out of memory: the sums are wrong. */
    /* State of the current leaf.  `there`: the pages of all its pieces. */
    uint64_t number, there;
    uint32_t piece_count;
    struct join_piece pieces[JOIN_PIECES_MAX];
    struct join_edge edge;
    /* `run_pages` pages of one owner and kind that are counted but not yet added to `pages`. */
    uint32_t last_stack, last_kind, run_pages;
};

/* Begins a look.  Call this before reading the mappings: keys that are booked from now on are not
 * removed by this look. */
void page_join_begin(struct page_join *join, struct page_book *book);
/* Adds a run.  Runs come in order of address and do not overlap.  All events from before the run
 * was read must already be in the book. */
void page_join_run(struct page_join *join, const struct join_run *run);
/* Ends the look.  Returns 0 or -ENOMEM.  Afterwards the caller may move `pages` out of the join;
 * page_join_fini frees the rest. */
int page_join_end(struct page_join *join);
/* Call this if the look failed: pages that this look was the first to find count as not found. */
void page_join_undo(struct page_join *join);
void page_join_fini(struct page_join *join);
