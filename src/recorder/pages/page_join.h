/* page_join.h - whose every page of a process is that is there, from the pages and the book.
 *
 * The pages come in runs, by address; each leaf of the book is done when the runs have passed it.  Every page gets an owner, and
 * keeps it: those without a key by the first rule that holds (enum page_rule), so that the sums per owner are the sums of the pages
 * always.  Keys of pages that two looks in a row found neither there nor in swap are taken out of the book, unless they were written since the
 * join began.  No I/O. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/number_map.h"
#include "base/vec.h"
#include "model/page_kind.h"
#include "pages/page_book.h"
#include "pages/page_parts.h"

#define JOIN_PIECES_MAX BOOK_LEAF_PAGES
#define LOOK_KINDS      4u /* anon, file, shmem, swap */

/* Pages that are alike and next to each other, and of one mapping. */
struct join_run {
    uint64_t start, end; /* addresses */
    enum page_kind kind;
    bool is_huge;
    uint64_t area_start, area_end; /* the mapping */
};

struct join_piece {
    uint64_t pages, area;          /* bits of a leaf */
    uint64_t area_start, area_end; /* addresses of the mapping */
    uint8_t kind;
    bool is_huge;
};

/* The end of the leaf before, as it was before the look settled it. */
#define JOIN_WINDOW 16u /* pages that the kernel maps around one of a file */
struct join_edge {
    uint64_t number;              /* of that leaf */
    uint32_t fresh;               /* which of its last pages were touched since the last look */
    uint32_t stacks[JOIN_WINDOW]; /* by whom */
    bool is_chained;              /* the last page came since the last look, by `chain` */
    uint32_t chain;
};

/* Pages of a leaf that a look was the first to find. */
struct join_settled {
    uint64_t number, pages;
};

struct page_join {
    struct page_book *book;
    VEC(struct join_settled) settled;
    struct number_map pages; /* by page_owner_key: how many */
    uint64_t bytes[LOOK_KINDS];
    uint64_t rule_bytes[PAGE_RULES]; /* of the three that are in RSS */
    uint64_t dropped;                /* keys */
    bool has_failed;                 /* out of memory: the sums are not right */
    /* the leaf that the runs are at */
    uint64_t number, there; /* `there`: pages of all pieces */
    uint32_t piece_count;
    struct join_piece pieces[JOIN_PIECES_MAX];
    struct join_edge edge;
    uint32_t last_stack, last_kind, run_pages; /* counted, and not in `pages` yet */
};

/* Begins a look.  Call before the mappings are read: what is booked from now on stays in the book. */
void page_join_begin(struct page_join *join, struct page_book *book);
/* In order of address, none overlapping.  Events that came before the run was seen must be in the book by now. */
void page_join_run(struct page_join *join, const struct join_run *run);
/* 0 or -ENOMEM.  The caller takes `pages`, or ends it with page_join_fini. */
int page_join_end(struct page_join *join);
/* Instead: the look failed, so that nobody counts what it found.  Pages that it was the first to find have been found by none again. */
void page_join_undo(struct page_join *join);
void page_join_fini(struct page_join *join);
