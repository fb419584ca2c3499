/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/join_rules.h"

#include <stdlib.h>

struct rules {
    const struct page_book *book;
    const struct join_edge *edge;
    struct page_leaf *leaf;
    uint64_t fresh;     /* pages touched since the last look */
    uint64_t came;      /* `fresh`, and pages that are known to have come with them */
    uint64_t arriving;  /* pages of the piece that had no owner when the piece began */
    uint64_t inherited; /* keys from before the fork */
    struct page_key otherwise;
};

static bool is_inherited(const struct page_book *book, const struct page_key *key)
{
    return book->is_forked && (int16_t)(key->epoch - book->fork_epoch) < 0;
}

static struct page_key last_resort(const struct page_book *book)
{
    struct page_key key = {.stack = PAGES_NO_FAULT, .rule = RULE_NO_FAULT, .epoch = book->epoch};
    if (!book->has_looked && !book->is_whole) {
        key.stack = PAGES_BEFORE;
        key.rule = RULE_BEFORE;
    } else if (book->lost + book->full > book->unkept) {
        key.stack = PAGES_LOST;
        key.rule = RULE_LOST;
    }
    return key;
}

static struct rules prepare(const struct page_join *join, struct page_leaf *leaf)
{
    const struct page_book *book = join->book;
    struct rules rules = {
        .book = book, .edge = &join->edge, .leaf = leaf, .otherwise = last_resort(book)};
    for (uint64_t left = leaf->used; left; left &= left - 1) {
        uint64_t const page = (uint64_t)__builtin_ctzll(left);
        uint64_t const bit = 1ull << page;
        if (is_inherited(book, &leaf->keys[page]))
            rules.inherited |= bit;
        else if (leaf->keys[page].rule == RULE_FAULT && !(leaf->settled & bit))
            rules.fresh |= bit;
    }
    rules.came = rules.fresh;
    return rules;
}

/* The page of `among` that is nearest to `page`, or -1. */
static int nearest(uint64_t among, uint64_t page)
{
    uint64_t const below = among & ((1ull << page) - 1);
    uint64_t const above = page == 63 ? 0 : among & ~0ull << (page + 1);
    int const low = below ? 63 - __builtin_clzll(below) : -1;
    int const high = above ? __builtin_ctzll(above) : -1;
    if (low < 0 || high < 0)
        return low < 0 ? high : low;
    return (int)page - low <= high - (int)page ? low : high;
}

static int by_number(const void *left, const void *right)
{
    uint32_t const a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Finds the stack that has most pages of the huge page around leaf `number`.  false: no page of it
 * belongs to a stack. */
static bool find_majority(const struct page_book *book, uint64_t number, uint32_t *stack)
{
    uint32_t stacks[BOOK_HUGE / BOOK_PAGE];
    size_t count = 0, most = 0, same = 0;
    uint64_t const leaves = BOOK_HUGE / BOOK_LEAF_BYTES, first = number - number % leaves;
    for (uint64_t i = first; i < first + leaves; i++) {
        const struct page_leaf *leaf = page_book_leaf(book, i);
        for (uint64_t left = leaf ? leaf->used : 0; left; left &= left - 1) {
            uint32_t const owner = leaf->keys[__builtin_ctzll(left)].stack;
            if (!page_owner_name(owner))
                stacks[count++] = owner;
        }
    }
    if (count == 0)
        return false;
    qsort(stacks, count, sizeof(stacks[0]), by_number);
    for (size_t i = 0; i < count; i++) {
        same = i && stacks[i] == stacks[i - 1] ? same + 1 : 1;
        if (same > most) {
            most = same;
            *stack = stacks[i];
        }
    }
    return true;
}

/* When a page of a file is touched, the kernel maps an aligned window of pages around it.  If the
 * mapping begins inside the window, the kernel maps as many pages from the begin of the mapping, up
 * to the end of the page table.  So pages of the next window may have come with the first ones. */
static bool find_begin(const struct rules *rules, const struct join_piece *piece, uint64_t page,
                       uint32_t *stack)
{
    const struct page_leaf *leaf = rules->leaf;
    int64_t const begin =
        (int64_t)(piece->area_start / BOOK_PAGE) - (int64_t)(leaf->number * BOOK_LEAF_PAGES);
    if ((int64_t)page - begin >= JOIN_WINDOW)
        return false;
    if (begin >= 0) {
        uint64_t const past = ((uint64_t)begin / JOIN_WINDOW + 1) * JOIN_WINDOW;
        uint64_t const below = past >= 64 ? ~0ull : (1ull << past) - 1;
        int const near = nearest(rules->fresh & piece->area & below, page);
        if (near >= 0)
            *stack = leaf->keys[near].stack;
        return near >= 0;
    }
    bool const is_table = leaf->number * BOOK_LEAF_BYTES % BOOK_HUGE == 0;
    if (is_table || rules->edge->number + 1 != leaf->number || begin < -(int64_t)JOIN_WINDOW)
        return false;
    uint32_t const touched = rules->edge->fresh & (~0u << (JOIN_WINDOW + begin));
    if (touched)
        *stack = rules->edge->stacks[31 - __builtin_clz(touched)];
    return touched != 0;
}

static bool find_around(const struct rules *rules, const struct join_piece *piece, uint64_t page,
                        uint32_t *stack)
{
    uint64_t const window = ((1ull << JOIN_WINDOW) - 1) << page / JOIN_WINDOW * JOIN_WINDOW;
    uint64_t const touched = rules->fresh & window & piece->area;
    int near = nearest(touched & ~rules->leaf->written, page);
    if (near < 0) /* writing maps no others, but may have followed a read */
        near = nearest(touched, page);
    if (near < 0)
        return find_begin(rules, piece, page, stack);
    *stack = rules->leaf->keys[near].stack;
    return true;
}

/* A touch that reads from the file maps the whole folio that was read: consecutive pages of one
 * page table.  So a page came with a touched page if the page below it came since the last look, or
 * if all pages above it, up to a touched page, are arriving too. */
static bool find_folio(const struct rules *rules, const struct join_piece *piece, uint64_t page,
                       uint32_t *stack)
{
    const struct page_leaf *leaf = rules->leaf;
    uint64_t const leaves = BOOK_HUGE / BOOK_LEAF_BYTES;
    if (page > 0 && rules->came & piece->area & 1ull << (page - 1)) {
        *stack = leaf->keys[page - 1].stack;
        return true;
    }
    if (page == 0 && rules->edge->is_chained && rules->edge->number + 1 == leaf->number &&
        leaf->number % leaves && piece->area_start < leaf->number * BOOK_LEAF_BYTES) {
        *stack = rules->edge->chain;
        return true;
    }
    uint64_t const between = ~(rules->arriving >> page);
    uint64_t const next = page + (between ? (uint64_t)__builtin_ctzll(between) : 64);
    if (next < BOOK_LEAF_PAGES) {
        if (!(rules->fresh & piece->area & 1ull << next))
            return false;
        *stack = leaf->keys[next].stack;
        return true;
    }
    const struct page_leaf *above =
        (leaf->number + 1) % leaves ? page_book_leaf(rules->book, leaf->number + 1) : NULL;
    uint64_t const touched = above ? above->used & ~above->settled : 0;
    uint64_t const first = touched ? (uint64_t)__builtin_ctzll(touched) : 0;
    if (!touched || above->keys[first].rule != RULE_FAULT ||
        above->number * BOOK_LEAF_BYTES + first * BOOK_PAGE >= piece->area_end)
        return false;
    *stack = above->keys[first].stack;
    return true;
}

static struct page_key key_for(const struct rules *rules, const struct join_piece *piece,
                               uint64_t page)
{
    struct page_key key = rules->otherwise;
    bool const is_of_file = piece->kind == PAGE_FILE || piece->kind == PAGE_SHMEM;
    if (key.rule == RULE_BEFORE)
        return key;
    if (is_of_file &&
        (find_around(rules, piece, page, &key.stack) || find_folio(rules, piece, page, &key.stack)))
        key.rule = RULE_AROUND;
    else if (piece->is_huge && find_majority(rules->book, rules->leaf->number, &key.stack))
        key.rule = RULE_FILLED;
    return key;
}

static void keep_edge(const struct rules *rules, struct join_edge *edge)
{
    edge->number = rules->leaf->number;
    edge->fresh = (uint32_t)(rules->fresh >> (BOOK_LEAF_PAGES - JOIN_WINDOW));
    for (uint64_t i = 0; i < JOIN_WINDOW; i++) {
        if (edge->fresh >> i & 1)
            edge->stacks[i] = rules->leaf->keys[BOOK_LEAF_PAGES - JOIN_WINDOW + i].stack;
    }
    edge->is_chained = rules->came >> (BOOK_LEAF_PAGES - 1);
    if (edge->is_chained)
        edge->chain = rules->leaf->keys[BOOK_LEAF_PAGES - 1].stack;
}

/* A stack got a huge page here since the last look.  If the huge page is still there, older keys of
 * its addresses are outdated and the stack owns all pages.  If it was split, the stack owns those
 * pages that have no other owner. */
static void apply_huge(const struct page_join *join, struct page_leaf *leaf)
{
    for (uint32_t i = 0; leaf->huge != BOOK_NO_HUGE && i < join->piece_count; i++) {
        const struct join_piece *piece = &join->pieces[i];
        uint64_t const kept = leaf->swapped | (piece->is_huge ? 0 : leaf->used);
        if (piece->kind != PAGE_ANON)
            continue;
        for (uint64_t left = piece->pages & ~kept; left; left &= left - 1) {
            uint64_t const page = (uint64_t)__builtin_ctzll(left);
            bool const is_his = leaf->used >> page & 1 && leaf->keys[page].stack == leaf->huge;
            leaf->keys[page] =
                (struct page_key){.stack = leaf->huge,
                                  .epoch = join->book->epoch,
                                  .rule = is_his ? leaf->keys[page].rule : (uint8_t)RULE_LARGE};
            leaf->used |= left & -left;
        }
    }
    leaf->huge = BOOK_NO_HUGE;
}

void join_rules_apply(struct page_join *join, struct page_leaf *leaf)
{
    apply_huge(join, leaf);
    struct rules rules = prepare(join, leaf);
    for (uint32_t i = 0; i < join->piece_count; i++) {
        const struct join_piece *piece = &join->pieces[i];
        bool const is_of_file = piece->kind == PAGE_FILE || piece->kind == PAGE_SHMEM;
        uint64_t const known = leaf->used & ~(is_of_file ? rules.inherited : 0);
        rules.arriving = piece->pages & ~known;
        for (uint64_t left = rules.arriving; left; left &= left - 1) {
            uint64_t const page = (uint64_t)__builtin_ctzll(left), bit = 1ull << page;
            struct page_key const key = key_for(&rules, piece, page);
            if (leaf->used & bit && page_owner_name(key.stack))
                continue; /* the owner known from the parent is better than none */
            leaf->keys[page] = key;
            leaf->used |= bit;
            leaf->written &= ~bit;
            rules.came |= key.rule == RULE_AROUND ? bit : 0;
        }
    }
    keep_edge(&rules, &join->edge);
}
