/* SPDX-License-Identifier: Apache-2.0 */
/* page_ranges.c - events of many pages at once: populated, reused, moved. */
#include <errno.h>

#include "model/memory/page_kind.h"
#include "pages/page_book.h"

/* Pages of a leaf that lie in start..end, as bits. */
static uint64_t pages_within(uint64_t number, uint64_t start, uint64_t end)
{
    uint64_t const first = number * BOOK_LEAF_BYTES, last = first + BOOK_LEAF_BYTES;
    if (start >= last || end <= first)
        return 0;
    uint64_t const low = start > first ? (start - first) / BOOK_PAGE : 0;
    uint64_t const high = end < last ? (end - first) / BOOK_PAGE : BOOK_LEAF_PAGES;
    return low >= high ? 0 : ~0ull >> (BOOK_LEAF_PAGES - (high - low)) << low;
}

/* Gives pages of a leaf that have no owner to `stack`. */
static void give(struct page_book *book, struct page_leaf *leaf, uint64_t pages, uint32_t stack)
{
    for (uint64_t left = pages & ~leaf->used; left; left &= left - 1) {
        page_book_put(book, leaf, (uint64_t)__builtin_ctzll(left), stack, RULE_LARGE);
        leaf->written |= left & -left;
    }
}

void page_book_large(struct page_book *book, uint64_t address, uint64_t size)
{
    const struct page_key *key = address < BOOK_ADDRESS_MAX ? page_book_find(book, address) : NULL;
    if (!key || size <= BOOK_PAGE || size > (1ull << 30) || size & (size - 1))
        return;
    uint32_t const stack = key->stack;
    uint64_t const start = address & ~(size - 1), end = start + size;
    for (uint64_t number = start / BOOK_LEAF_BYTES; number * BOOK_LEAF_BYTES < end; number++) {
        struct page_leaf *leaf = page_book_leaf_to_write(book, number, true);
        if (!leaf)
            book->full++;
        else if (size >= BOOK_HUGE)
            leaf->huge = stack;
        else
            give(book, leaf, pages_within(number, start, end), stack);
    }
}

/* The numbers of the leaves that have pages in start..end.  false when out of memory. */
struct page_numbers {
    VEC(uint64_t) list;
};

static bool find_leaves(const struct page_book *book, uint64_t start, uint64_t end,
                        struct page_numbers *numbers)
{
    uint64_t const first = start / BOOK_LEAF_BYTES, past = (end - 1) / BOOK_LEAF_BYTES + 1;
    if (past - first <= 2 * book->leaves.count) {
        for (uint64_t number = first; number < past; number++) {
            if (page_book_leaf(book, number) && !vec_push(&numbers->list, number))
                return false;
        }
        return true;
    }
    vec_each (place, &book->leaves) {
        uint64_t const number = place->leaf->number;
        if (number >= first && number < past && !vec_push(&numbers->list, number))
            return false;
    }
    return true;
}

/* Rounds to whole pages below BOOK_ADDRESS_MAX.  false: not a range of addresses. */
static bool clip(uint64_t *start, uint64_t *end, uint64_t size)
{
    if (*start >= BOOK_ADDRESS_MAX || size == 0)
        return false;
    *start -= *start % BOOK_PAGE;
    if (size > BOOK_ADDRESS_MAX - *start)
        size = BOOK_ADDRESS_MAX - *start;
    *end = *start + (size + BOOK_PAGE - 1) / BOOK_PAGE * BOOK_PAGE;
    return true;
}

/* Removes the keys of start..end.  If there is no memory for that, removes all keys. */
static void clear(struct page_book *book, uint64_t start, uint64_t end)
{
    struct page_numbers numbers = {.list = {NULL, 0, 0}};
    if (!find_leaves(book, start, end, &numbers)) {
        vec_free(&numbers.list);
        page_book_clear(book);
        return;
    }
    vec_each (number, &numbers.list) {
        page_book_drop(book, *number, pages_within(*number, start, end));
        const struct page_leaf *rest = page_book_leaf(book, *number);
        struct page_leaf *leaf = rest && rest->huge != BOOK_NO_HUGE
                                     ? page_book_leaf_to_write(book, *number, false)
                                     : NULL;
        if (leaf)
            leaf->huge = BOOK_NO_HUGE;
    }
    vec_free(&numbers.list);
}

void page_book_range(struct page_book *book, uint64_t start, uint64_t size, bool has_stack,
                     uint32_t stack)
{
    uint64_t end;
    if (!clip(&start, &end, size))
        return;
    clear(book, start, end);
    for (uint64_t number = start / BOOK_LEAF_BYTES; has_stack && number * BOOK_LEAF_BYTES < end;
         number++) {
        struct page_leaf *leaf = page_book_leaf_to_write(book, number, true);
        if (!leaf) {
            book->full++;
            return;
        }
        for (uint64_t left = pages_within(number, start, end); left; left &= left - 1)
            page_book_put(book, leaf, (uint64_t)__builtin_ctzll(left), stack, RULE_POPULATED);
    }
}

/* Copies the keys of the pages `moved` of a leaf to addresses that are `offset` higher. */
static int move_keys(struct page_book *book, const struct page_leaf *old, uint64_t moved,
                     uint64_t offset)
{
    for (; moved; moved &= moved - 1) {
        uint64_t const page = (uint64_t)__builtin_ctzll(moved);
        uint64_t const to = old->number * BOOK_LEAF_BYTES + page * BOOK_PAGE + offset;
        struct page_leaf *leaf = page_book_leaf_to_write(book, to / BOOK_LEAF_BYTES, true);
        if (!leaf) {
            book->full++;
            return -ENOMEM;
        }
        uint64_t const at = to / BOOK_PAGE % BOOK_LEAF_PAGES, bit = 1ull << at;
        page_book_put(book, leaf, at, old->keys[page].stack, RULE_MOVED);
        leaf->keys[at].kind = old->keys[page].kind;
        leaf->settled |= old->settled >> page & 1 ? bit : 0;
        leaf->swapped |= old->swapped >> page & 1 ? bit : 0;
        leaf->written = old->written >> page & 1 ? leaf->written | bit : leaf->written & ~bit;
    }
    return 0;
}

int page_book_move(struct page_book *book, uint64_t from, uint64_t from_size, uint64_t to,
                   uint64_t to_size)
{
    struct page_numbers numbers = {.list = {NULL, 0, 0}};
    uint64_t from_end, to_end, kept_end;
    int err = 0;
    if (!clip(&to, &to_end, to_size))
        return 0;
    if (!clip(&from, &from_end, from_size)) { /* size 0: a second mapping of the same pages */
        clear(book, to, to_end);
        return 0;
    }
    kept_end = from_end - from < to_end - to ? from_end : from + (to_end - to);
    if (from == to) { /* grown or shrunk in place */
        uint64_t const longer = from_end > to_end ? from_end : to_end;
        if (longer > kept_end)
            clear(book, kept_end, longer);
        return 0;
    }
    clear(book, to, to_end); /* the kernel allows no overlap; if an event has one, its keys go */
    if (kept_end < from_end)
        clear(book, kept_end, from_end);
    if (!find_leaves(book, from, kept_end, &numbers))
        err = -ENOMEM;
    vec_each (number, &numbers.list) {
        const struct page_leaf *leaf = page_book_leaf(book, *number);
        uint64_t const moved = leaf ? leaf->used & pages_within(*number, from, kept_end) : 0;
        if (moved == 0)
            continue;
        struct page_leaf const old = *leaf;
        page_book_drop(book, *number, moved);
        if (err == 0)
            err = move_keys(book, &old, moved, to - from);
    }
    vec_free(&numbers.list);
    return err;
}
