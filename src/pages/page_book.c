/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/page_kind.h"

const char *const page_rule_names[PAGE_RULES] = {"touched",
                                                 "given with a larger page",
                                                 "filled by mmap",
                                                 "moved by mremap",
                                                 "mapped with its neighbours",
                                                 "huge page fill",
                                                 "before attach",
                                                 "without a fault",
                                                 "events lost"};

const char *page_owner_name(uint32_t stack)
{
    switch (stack) {
    case PAGES_BEFORE:
        return "[resident before attach]";
    case PAGES_NO_FAULT:
        return "[populated without a fault]";
    case PAGES_LOST:
        return "[touched while events were lost]";
    case PAGES_NO_STACK:
        return "[stack not taken]";
    default:
        return NULL;
    }
}

void page_book_init(struct page_book *book, size_t memory_max, bool is_whole)
{
    size_t const memory = memory_max ? memory_max : BOOK_MEMORY_USUAL;
    *book = (struct page_book){.leaves_max = memory / 640, .is_whole = is_whole};
}

static void forget_leaf(struct page_leaf *leaf)
{
    if (--leaf->books == 0)
        free(leaf);
}

static void forget_all(struct page_book *book)
{
    vec_each (place, &book->leaves)
        forget_leaf(place->leaf);
    vec_free(&book->leaves);
    number_map_fini(&book->index);
    book->last_number = 0;
}

void page_book_fini(struct page_book *book)
{
    forget_all(book);
}

size_t page_book_memory(const struct page_book *book)
{
    return book->leaves.count * (sizeof(struct page_leaf) + 2 * sizeof(size_t)) +
           book->leaves.room * sizeof(book->leaves.items[0]) +
           book->index.room * sizeof(struct number_pair);
}

/* The place of a leaf, + 1; 0 when there is none. */
static size_t find_place(const struct page_book *book, uint64_t number)
{
    if (book->last_number == number + 1)
        return book->last_place + 1;
    return number_map_get(&book->index, number + 1);
}

const struct page_leaf *page_book_leaf(const struct page_book *book, uint64_t number)
{
    size_t const place = find_place(book, number);
    return place ? book->leaves.items[place - 1].leaf : NULL;
}

static void remember_place(struct page_book *book, uint64_t number, size_t place)
{
    book->last_number = number + 1;
    book->last_place = place;
}

/* Puts a leaf into the table.  false: no room, and the leaf is still the caller's. */
static bool put_leaf(struct page_book *book, struct page_leaf *leaf)
{
    if (book->leaves.count >= book->leaves_max || !vec_reserve(&book->leaves, 1))
        return false;
    uint32_t *place = number_map_at(&book->index, leaf->number + 1);
    if (!place)
        return false;
    (void)vec_push(&book->leaves, (struct leaf_place){.leaf = leaf});
    *place = (uint32_t)book->leaves.count;
    remember_place(book, leaf->number, book->leaves.count - 1);
    return true;
}

static struct page_leaf *make_leaf(struct page_book *book, uint64_t number)
{
    struct page_leaf *leaf = malloc(sizeof(*leaf));
    if (!leaf)
        return NULL;
    memset(leaf, 0, offsetof(struct page_leaf, keys));
    leaf->number = number;
    leaf->books = 1;
    if (put_leaf(book, leaf))
        return leaf;
    free(leaf);
    return NULL;
}

/* The leaf of this book alone. */
static struct page_leaf *unshare(struct page_book *book, size_t place)
{
    struct page_leaf *leaf = book->leaves.items[place].leaf, *own;
    if (leaf->books == 1)
        return leaf;
    own = malloc(sizeof(*own));
    if (!own)
        return NULL;
    *own = *leaf;
    own->books = 1;
    leaf->books--;
    return book->leaves.items[place].leaf = own;
}

struct page_leaf *page_book_leaf_to_write(struct page_book *book, uint64_t number, bool make)
{
    size_t const place = find_place(book, number);
    if (!place)
        return make ? make_leaf(book, number) : NULL;
    remember_place(book, number, place - 1);
    return unshare(book, place - 1);
}

void page_book_see(struct page_book *book, uint64_t number)
{
    size_t const place = find_place(book, number);
    if (place)
        book->leaves.items[place - 1].seen = book->epoch;
}

/* Takes the leaf out of the table; the last one takes its place. */
static struct page_leaf *take_leaf(struct page_book *book, uint64_t number)
{
    size_t const place = number_map_take(&book->index, number + 1);
    struct page_leaf *leaf = book->leaves.items[place - 1].leaf;
    struct leaf_place const last = book->leaves.items[--book->leaves.count];
    if (last.leaf != leaf) {
        book->leaves.items[place - 1] = last;
        *number_map_at(&book->index, last.leaf->number + 1) = (uint32_t)place;
    }
    book->last_number = 0;
    return leaf;
}

void page_book_drop(struct page_book *book, uint64_t number, uint64_t gone)
{
    const struct page_leaf *seen = page_book_leaf(book, number);
    if (!seen || (seen->used & gone) == 0)
        return;
    if ((seen->used & ~gone) == 0) {
        forget_leaf(take_leaf(book, number));
        return;
    }
    struct page_leaf *leaf = page_book_leaf_to_write(book, number, false);
    if (!leaf) { /* out of memory: stale keys would be wrong, no keys are only unknown */
        forget_leaf(take_leaf(book, number));
        return;
    }
    leaf->used &= ~gone;
    leaf->settled &= ~gone;
    leaf->swapped &= ~gone;
    leaf->written &= ~gone;
    leaf->missed &= ~gone;
}

const struct page_key *page_book_find(const struct page_book *book, uint64_t address)
{
    const struct page_leaf *leaf = page_book_leaf(book, address / BOOK_LEAF_BYTES);
    uint64_t const page = address / BOOK_PAGE % BOOK_LEAF_PAGES;
    return leaf && leaf->used >> page & 1 ? &leaf->keys[page] : NULL;
}

static void put_key(struct page_book *book, struct page_leaf *leaf, uint64_t page, uint32_t stack,
                    enum page_rule rule)
{
    uint64_t const bit = 1ull << page;
    leaf->used |= bit;
    leaf->settled &= ~bit;
    leaf->swapped &= ~bit;
    leaf->missed &= ~bit;
    leaf->keys[page] =
        (struct page_key){.stack = stack, .epoch = book->epoch, .rule = (uint8_t)rule};
}

/* Whether a fault leaves the page with the owner it has. */
static bool keeps_owner(struct page_leaf *leaf, uint64_t page, bool is_write)
{
    uint64_t const bit = 1ull << page;
    if (leaf->swapped & bit) {
        leaf->swapped &= ~bit;
        return true;
    }
    if (is_write || !(leaf->used & bit))
        return false;
    return leaf->settled & bit ? leaf->keys[page].kind == PAGE_ANON : leaf->written & bit;
}

void page_book_fault(struct page_book *book, uint64_t address, uint32_t stack, bool is_write)
{
    struct page_leaf *leaf = address < BOOK_ADDRESS_MAX
                                 ? page_book_leaf_to_write(book, address / BOOK_LEAF_BYTES, true)
                                 : NULL;
    if (!leaf) {
        book->full++;
        return;
    }
    uint64_t const page = address / BOOK_PAGE % BOOK_LEAF_PAGES, bit = 1ull << page;
    book->faults++;
    if (keeps_owner(leaf, page, is_write))
        return;
    put_key(book, leaf, page, stack, RULE_FAULT);
    leaf->written = is_write ? leaf->written | bit : leaf->written & ~bit;
}

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

void page_book_large(struct page_book *book, uint64_t address, uint64_t size)
{
    const struct page_key *key = address < BOOK_ADDRESS_MAX ? page_book_find(book, address) : NULL;
    if (!key || size <= BOOK_PAGE || size > (1ull << 30) || size & (size - 1))
        return;
    uint32_t const stack = key->stack;
    uint64_t const start = address & ~(size - 1), end = start + size;
    for (uint64_t number = start / BOOK_LEAF_BYTES; number * BOOK_LEAF_BYTES < end; number++) {
        struct page_leaf *leaf = page_book_leaf_to_write(book, number, true);
        if (!leaf) {
            book->full++;
            continue;
        }
        uint64_t left = pages_within(number, start, end) & ~leaf->swapped;
        if (number == address / BOOK_LEAF_BYTES)
            left &= ~(1ull << address / BOOK_PAGE % BOOK_LEAF_PAGES);
        for (; left; left &= left - 1) {
            uint64_t const page = (uint64_t)__builtin_ctzll(left);
            if (leaf->settled >> page & 1 && leaf->keys[page].kind != PAGE_ANON)
                continue; /* a file's, and there already: not all of a large page is mapped at once */
            put_key(book, leaf, page, stack, RULE_LARGE);
            leaf->written |= 1ull << page;
        }
    }
}

/* The numbers of the leaves that have pages in start..end.  false when out of memory. */
struct numbers {
    VEC(uint64_t) list;
};

static bool find_leaves(const struct page_book *book, uint64_t start, uint64_t end,
                        struct numbers *numbers)
{
    uint64_t const first = start / BOOK_LEAF_BYTES, past = (end - 1) / BOOK_LEAF_BYTES + 1;
    if (past - first <= 2 * book->leaves.count) {
        for (uint64_t number = first; number < past; number++) {
            if (find_place(book, number) && !vec_push(&numbers->list, number))
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

/* false: not addresses at all. */
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

/* Clears start..end.  What cannot be cleared one by one for lack of memory goes altogether. */
static void clear(struct page_book *book, uint64_t start, uint64_t end)
{
    struct numbers numbers = {.list = {NULL, 0, 0}};
    if (!find_leaves(book, start, end, &numbers)) {
        vec_free(&numbers.list);
        forget_all(book);
        return;
    }
    vec_each (number, &numbers.list)
        page_book_drop(book, *number, pages_within(*number, start, end));
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
            put_key(book, leaf, (uint64_t)__builtin_ctzll(left), stack, RULE_POPULATED);
    }
}

/* Puts what a leaf has of `moved` at other addresses. */
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
        put_key(book, leaf, at, old->keys[page].stack, RULE_MOVED);
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
    struct numbers numbers = {.list = {NULL, 0, 0}};
    uint64_t from_end, to_end, kept_end;
    int err = 0;
    if (!clip(&to, &to_end, to_size))
        return 0;
    if (!clip(&from, &from_end, from_size)) { /* of size 0: a second mapping of the same */
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
    clear(book, to, to_end); /* the kernel lets them not overlap; if told so, what overlaps goes */
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

void page_book_exec(struct page_book *book)
{
    forget_all(book);
    book->is_whole = true;
    book->has_looked = false;
    book->is_forked = false;
    book->unkept = book->lost + book->full;
}

int page_book_copy(struct page_book *book, struct page_book *child)
{
    *child = *book;
    child->index.items = NULL;
    child->leaves.items = NULL;
    child->leaves.count = child->leaves.room = child->index.room = child->index.count = 0;
    child->last_number = 0;
    child->faults = 0;
    child->is_forked = true;
    child->fork_epoch = ++child->epoch;
    if (book->leaves.count == 0)
        return 0;
    child->index.items = malloc(book->index.room * sizeof(struct number_pair));
    if (!child->index.items || !vec_reserve(&child->leaves, book->leaves.count) ||
        !child->leaves.items) {
        number_map_fini(&child->index);
        return -ENOMEM;
    }
    memcpy(child->index.items, book->index.items, book->index.room * sizeof(struct number_pair));
    child->index.room = book->index.room;
    child->index.count = book->index.count;
    child->leaves.count = book->leaves.count;
    for (size_t i = 0; i < book->leaves.count; i++) {
        child->leaves.items[i] = book->leaves.items[i];
        child->leaves.items[i].leaf->books++;
    }
    return 0;
}
