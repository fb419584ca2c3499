/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_join.h"

#include <errno.h>
#include <stdlib.h>

#include "pages/join_rules.h"

void page_join_begin(struct page_join *join, struct page_book *book)
{
    *join = (struct page_join){.book = book};
    book->epoch++;
}

static void count_up(struct page_join *join)
{
    if (join->run_pages == 0)
        return;
    uint32_t *pages =
        number_map_at(&join->pages, page_owner_key(join->last_stack, join->last_kind));
    if (pages)
        *pages += join->run_pages;
    else
        join->has_failed = true;
    join->bytes[join->last_kind] += (uint64_t)join->run_pages * BOOK_PAGE;
    join->run_pages = 0;
}

static inline void count_page(struct page_join *join, uint32_t stack, uint32_t kind)
{
    if (join->run_pages && (join->last_stack != stack || join->last_kind != kind))
        count_up(join);
    join->last_stack = stack;
    join->last_kind = kind;
    join->run_pages++;
}

static void count_rules(struct page_join *join, const struct page_leaf *leaf, uint64_t pages)
{
    for (; pages; pages &= pages - 1)
        join->rule_bytes[leaf->keys[__builtin_ctzll(pages)].rule] += BOOK_PAGE;
}

static void count_piece(struct page_join *join, const struct page_leaf *leaf,
                        const struct join_piece *piece)
{
    for (uint64_t left = piece->pages; left; left &= left - 1)
        count_page(join, leaf->keys[__builtin_ctzll(left)].stack, piece->kind);
    if (piece->kind < PAGE_KINDS_RESIDENT)
        count_rules(join, leaf, piece->pages);
}

/* There is no memory for keys: all pages of the piece belong to PAGES_LOST until the next look. */
static void count_unkept(struct page_join *join, const struct join_piece *piece)
{
    for (uint64_t left = piece->pages; left; left &= left - 1)
        count_page(join, PAGES_LOST, piece->kind);
    if (piece->kind < PAGE_KINDS_RESIDENT)
        join->rule_bytes[RULE_LOST] += (uint64_t)__builtin_popcountll(piece->pages) * BOOK_PAGE;
}

/* Removes the keys of pages that two looks in a row did not find.  One look is not enough: the
 * event of a fault may arrive before the kernel has mapped the page, and pages that the kernel is
 * moving or merging into a huge page are not visible for a moment. */
static void drop_stale(struct page_join *join, uint64_t number, uint64_t there)
{
    const struct page_leaf *leaf = page_book_leaf(join->book, number);
    uint64_t const missing = leaf ? leaf->used & ~there : 0;
    uint64_t gone = leaf ? missing & leaf->missed : 0;
    for (uint64_t left = gone; left; left &= left - 1) {
        if (leaf->keys[__builtin_ctzll(left)].epoch == join->book->epoch)
            gone &=
                ~(left & -left); /* came since the look began: perhaps after its page was seen */
    }
    if (leaf && leaf->missed != missing) {
        struct page_leaf *own = page_book_leaf_to_write(join->book, number, false);
        if (own)
            own->missed = missing;
    }
    join->dropped += (uint64_t)__builtin_popcountll(gone);
    if (gone)
        page_book_drop(join->book, number, gone);
}

/* All resident pages of the leaf have keys now: marks the pages as found. */
static void settle(struct page_join *join, struct page_leaf *leaf)
{
    struct join_settled const fresh = {leaf->number, join->there & ~leaf->settled};
    if (fresh.pages && !vec_push(&join->settled, fresh))
        join->has_failed = true;
    for (uint32_t i = 0; i < join->piece_count; i++) {
        const struct join_piece *piece = &join->pieces[i];
        leaf->settled |= piece->pages;
        leaf->swapped &= ~piece->pages;
        if (piece->kind == PAGE_SWAP)
            leaf->swapped |= piece->pages;
        for (uint64_t left = piece->pages; left; left &= left - 1)
            leaf->keys[__builtin_ctzll(left)].kind = piece->kind;
    }
}

static bool is_settled(const struct page_join *join, const struct page_leaf *leaf)
{
    if (leaf && leaf->huge != BOOK_NO_HUGE)
        return false;
    for (uint32_t i = 0; leaf && i < join->piece_count; i++) {
        const struct join_piece *piece = &join->pieces[i];
        if (join->book->is_forked && piece->kind != PAGE_ANON && piece->kind != PAGE_SWAP)
            return false; /* a fork does not copy pages of files: they came since */
        if ((leaf->settled & piece->pages) != piece->pages)
            return false;
        if ((leaf->swapped & piece->pages) != (piece->kind == PAGE_SWAP ? piece->pages : 0))
            return false;
        for (uint64_t left = piece->pages; left; left &= left - 1) {
            if (leaf->keys[__builtin_ctzll(left)].kind != piece->kind)
                return false;
        }
    }
    return leaf != NULL;
}

/* Most leaves did not change since the previous look.  They are only read, so that they stay shared
 * after a fork. */
static void finish_leaf(struct page_join *join)
{
    if (join->piece_count == 0)
        return;
    const struct page_leaf *leaf = page_book_leaf(join->book, join->number);
    if (!is_settled(join, leaf)) {
        struct page_leaf *own = page_book_leaf_to_write(join->book, join->number, true);
        if (own) {
            join_rules_apply(join, own);
            settle(join, own);
        }
    }
    /* Not earlier: a touched page that is gone may have brought in pages that are still there. */
    drop_stale(join, join->number, join->there);
    leaf = page_book_leaf(join->book, join->number);
    if (leaf && (leaf->used & join->there) != join->there)
        leaf = NULL;
    for (uint32_t i = 0; i < join->piece_count; i++) {
        if (leaf)
            count_piece(join, leaf, &join->pieces[i]);
        else
            count_unkept(join, &join->pieces[i]);
    }
    page_book_see(join->book, join->number);
    join->piece_count = 0;
    join->there = 0;
}

static uint64_t bits_within(uint64_t first, uint64_t start, uint64_t end)
{
    uint64_t const last = first + BOOK_LEAF_BYTES;
    uint64_t const low = start > first ? (start - first) / BOOK_PAGE : 0;
    uint64_t const high = end < last ? (end - first) / BOOK_PAGE : BOOK_LEAF_PAGES;
    return low >= high ? 0 : ~0ull >> (BOOK_LEAF_PAGES - (high - low)) << low;
}

void page_join_run(struct page_join *join, const struct join_run *run)
{
    uint64_t const past = (run->end + BOOK_LEAF_BYTES - 1) / BOOK_LEAF_BYTES;
    for (uint64_t number = run->start / BOOK_LEAF_BYTES; number < past; number++) {
        uint64_t const first = number * BOOK_LEAF_BYTES;
        if (number != join->number)
            finish_leaf(join);
        join->number = number;
        struct join_piece const piece = {.pages = bits_within(first, run->start, run->end) &
                                                  ~join->there,
                                         .area = bits_within(first, run->area_start, run->area_end),
                                         .area_start = run->area_start,
                                         .area_end = run->area_end,
                                         .kind = (uint8_t)run->kind,
                                         .is_huge = run->is_huge};
        if (piece.pages)
            join->pieces[join->piece_count++] = piece;
        join->there |= piece.pages;
    }
}

/* Handles leaves that no run has passed: they have no resident pages.  Goes backwards, because the
 * last leaf moves to the place of a leaf that is removed. */
static void drop_unseen(struct page_join *join)
{
    for (size_t i = join->book->leaves.count; i-- > 0;) {
        const struct leaf_place *place = &join->book->leaves.items[i];
        uint64_t const number = place->leaf->number;
        if (place->seen == join->book->epoch)
            continue;
        if (place->leaf->huge != BOOK_NO_HUGE) { /* a note of a huge page, not told too early */
            struct page_leaf *leaf = page_book_leaf_to_write(join->book, number, false);
            if (leaf)
                leaf->huge = BOOK_NO_HUGE;
        } else if (place->leaf->used == 0) {
            page_book_drop(join->book, number, 0);
            continue;
        }
        drop_stale(join, number, 0);
    }
}

int page_join_end(struct page_join *join)
{
    struct page_book *book = join->book;
    finish_leaf(join);
    count_up(join);
    drop_unseen(join);
    book->has_looked = true;
    book->look_epoch = book->epoch;
    book->is_forked = false;
    book->unkept = book->lost + book->full;
    return join->has_failed ? -ENOMEM : 0;
}

void page_join_undo(struct page_join *join)
{
    vec_each (fresh, &join->settled) {
        struct page_leaf *leaf = page_book_leaf_to_write(join->book, fresh->number, false);
        if (leaf)
            leaf->settled &= ~fresh->pages;
    }
    join->settled.count = 0;
}

void page_join_fini(struct page_join *join)
{
    vec_free(&join->settled);
    number_map_fini(&join->pages);
}
