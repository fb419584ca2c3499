/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/page_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/memory/page_kind.h"

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
        return PAGES_BEFORE_NAME;
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

void page_book_clear(struct page_book *book)
{
    vec_each (place, &book->leaves)
        forget_leaf(place->leaf);
    vec_free(&book->leaves);
    number_map_fini(&book->index);
    book->last_number = 0;
}

void page_book_fini(struct page_book *book)
{
    page_book_clear(book);
}

size_t page_book_memory(const struct page_book *book)
{
    return book->leaves.count * (sizeof(struct page_leaf) + 2 * sizeof(size_t)) +
           book->leaves.room * sizeof(book->leaves.items[0]) +
           book->index.room * sizeof(struct number_pair);
}

/* Returns the index of a leaf + 1; 0 if there is none. */
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

/* Puts a leaf into the table.  false: no memory, and the caller still owns the leaf. */
static bool put_leaf(struct page_book *book, struct page_leaf *leaf)
{
    if (!vec_reserve(&book->leaves, 1))
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
    struct page_leaf *leaf = book->leaves.count < book->leaves_max ? malloc(sizeof(*leaf)) : NULL;
    if (!leaf)
        return NULL;
    memset(leaf, 0, offsetof(struct page_leaf, keys));
    leaf->number = number;
    leaf->books = 1;
    leaf->huge = BOOK_NO_HUGE;
    if (put_leaf(book, leaf))
        return leaf;
    free(leaf);
    return NULL;
}

/* Makes the leaf private to this book (copy on write).  NULL: no memory. */
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

/* Removes the leaf from the table; the last leaf moves to its place. */
static struct page_leaf *remove_leaf(struct page_book *book, uint64_t number)
{
    size_t const place = number_map_remove(&book->index, number + 1);
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
    if (!seen)
        return;
    gone &= seen->used;
    if (gone == 0 && seen->used)
        return;
    if (gone == seen->used) {
        forget_leaf(remove_leaf(book, number));
        return;
    }
    struct page_leaf *leaf = page_book_leaf_to_write(book, number, false);
    if (!leaf) { /* out of memory: stale keys would be wrong, no keys are only unknown */
        forget_leaf(remove_leaf(book, number));
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

void page_book_put(struct page_book *book, struct page_leaf *leaf, uint64_t page, uint32_t stack,
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
        return; /* NOLINT(clang-analyzer-unix.Malloc): the book has it */
    page_book_put(book, leaf, page, stack, RULE_FAULT);
    leaf->written = is_write ? leaf->written | bit : leaf->written & ~bit;
}

void page_book_exec(struct page_book *book)
{
    page_book_clear(book);
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
