/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/join_rules.h"

#include <stdlib.h>

struct rules {
    const struct page_book *book;
    struct page_leaf *leaf;
    uint64_t fresh;     /* pages touched since the last look */
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

static struct rules prepare(const struct page_book *book, struct page_leaf *leaf)
{
    struct rules rules = {.book = book, .leaf = leaf, .otherwise = last_resort(book)};
    for (uint64_t left = leaf->used; left; left &= left - 1) {
        uint64_t const page = (uint64_t)__builtin_ctzll(left);
        uint64_t const bit = 1ull << page;
        if (is_inherited(book, &leaf->keys[page]))
            rules.inherited |= bit;
        else if (leaf->keys[page].rule == RULE_FAULT && !(leaf->settled & bit))
            rules.fresh |= bit;
    }
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

/* Who has most pages of the huge page that `number` is in.  false: nobody that is known. */
static bool find_majority(const struct page_book *book, uint64_t number, uint32_t *stack)
{
    uint32_t stacks[RULES_HUGE / BOOK_PAGE];
    size_t count = 0, most = 0, same = 0;
    uint64_t const leaves = RULES_HUGE / BOOK_LEAF_BYTES, first = number - number % leaves;
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

/* A large folio of the page cache is mapped whole by one fault: who touched the page before this one that is nearest,
 * in the same mapping and the same 2 MiB.  false: nobody. */
static bool find_in_folio(const struct rules *rules, const struct join_piece *piece, uint64_t page,
                          uint32_t *stack)
{
    uint64_t const number = rules->leaf->number, leaves = RULES_HUGE / BOOK_LEAF_BYTES;
    uint64_t const first = number - number % leaves;
    uint64_t below = rules->leaf->used & piece->area & ((1ull << page) - 1);
    const struct page_leaf *leaf = rules->leaf;
    for (uint64_t i = number;; leaf = page_book_leaf(rules->book, --i)) {
        if (i != number)
            below = leaf ? leaf->used : 0;
        for (; below; below &= ~(1ull << (63 - __builtin_clzll(below)))) {
            int const near = 63 - __builtin_clzll(below);
            if (i * BOOK_LEAF_BYTES + (uint64_t)near * BOOK_PAGE < piece->area_start)
                return false;
            if (page_owner_name(leaf->keys[near].stack))
                continue;
            *stack = leaf->keys[near].stack;
            return true;
        }
        if (i == first)
            return false;
    }
}

static struct page_key key_for(const struct rules *rules, const struct join_piece *piece,
                               uint64_t page)
{
    struct page_key key = rules->otherwise;
    if (key.rule == RULE_BEFORE)
        return key;
    bool const is_of_file = piece->kind == PAGE_FILE || piece->kind == PAGE_SHMEM;
    uint64_t const window = ((1ull << RULES_WINDOW) - 1) << page / RULES_WINDOW * RULES_WINDOW;
    uint64_t const touched = is_of_file ? rules->fresh & window & piece->area : 0;
    int near = nearest(touched & ~rules->leaf->written, page);
    if (near < 0) /* writing maps no others, but may have followed a read */
        near = nearest(touched, page);
    if (near >= 0) {
        key.stack = rules->leaf->keys[near].stack;
        key.rule = RULE_AROUND;
    } else if (is_of_file && find_in_folio(rules, piece, page, &key.stack)) {
        key.rule = RULE_AROUND;
    } else if (piece->is_huge && find_majority(rules->book, rules->leaf->number, &key.stack)) {
        key.rule = RULE_FILLED;
    }
    return key;
}

void join_rules_apply(const struct page_book *book, struct page_leaf *leaf,
                      const struct join_piece *pieces, uint32_t count)
{
    struct rules const rules = prepare(book, leaf);
    for (uint32_t i = 0; i < count; i++) {
        const struct join_piece *piece = &pieces[i];
        bool const is_of_file = piece->kind == PAGE_FILE || piece->kind == PAGE_SHMEM;
        uint64_t const known = leaf->used & ~(is_of_file ? rules.inherited : 0);
        for (uint64_t left = piece->pages & ~known; left; left &= left - 1) {
            uint64_t const page = (uint64_t)__builtin_ctzll(left), bit = 1ull << page;
            struct page_key const key = key_for(&rules, piece, page);
            if (leaf->used & bit && page_owner_name(key.stack))
                continue; /* what the parent knew is better than nothing */
            leaf->keys[page] = key;
            leaf->used |= bit;
            leaf->written &= ~bit;
        }
    }
}
