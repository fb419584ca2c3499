/* SPDX-License-Identifier: Apache-2.0 */
#include "pages/cache_book.h"

#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"

#define MEMORY_USUAL ((size_t)256 << 20)
#define FOLIO_MAX    (1u << 18) /* pages; more is no folio of any kernel */
#define LEAF_COST    640u       /* of one leaf with its places in tables */
#define FILE_COST    (2 * sizeof(struct cache_file) + 64 * sizeof(struct number_pair))

void cache_book_init(struct cache_book *book, size_t memory_max)
{
    *book = (struct cache_book){.memory_max = memory_max ? memory_max : MEMORY_USUAL};
}

void cache_book_fini(struct cache_book *book)
{
    vec_each (file, &book->files)
        page_book_fini(&file->book);
    vec_free(&book->files);
    number_map_fini(&book->index);
    number_map_fini(&book->pages);
    number_map_fini(&book->told);
}

/* Never 0.  If two files have the same key, find_file tries the next odd number. */
static uint64_t file_key(uint32_t device, uint64_t inode)
{
    return hash_mix(inode ^ hash_mix(device)) | 1;
}

/* Returns the file; or NULL, with the key that a new entry would get in *key. */
static struct cache_file *find_file(const struct cache_book *book, uint32_t device, uint64_t inode,
                                    uint64_t *key)
{
    for (*key = file_key(device, inode);; *key += 2) {
        uint32_t const place = number_map_get(&book->index, *key);
        if (!place)
            return NULL;
        struct cache_file *file = &book->files.items[place - 1];
        if (file->device == device && file->inode == inode)
            return file;
    }
}

const struct cache_file *cache_book_find(const struct cache_book *book, uint32_t device,
                                         uint64_t inode)
{
    uint64_t key;
    return find_file(book, device, inode, &key);
}

static struct cache_file *make_file(struct cache_book *book, uint32_t device, uint64_t inode,
                                    uint64_t key)
{
    if (book->memory + FILE_COST > book->memory_max || !vec_reserve(&book->files, 1))
        return NULL;
    uint32_t *place = number_map_at(&book->index, key);
    if (!place)
        return NULL;
    struct cache_file file = {.device = device, .inode = inode};
    page_book_init(&file.book, SIZE_MAX, true); /* the cache book checks the limit */
    (void)vec_push(&book->files, file);
    *place = (uint32_t)book->files.count;
    book->memory += FILE_COST;
    return &book->files.items[book->files.count - 1];
}

/* One page more (1) or less (-1) for a stack. */
static bool count(struct cache_book *book, struct cache_file *file, uint32_t stack, int change)
{
    uint32_t *pages = number_map_at(&book->pages, page_owner_key(stack, PAGE_CACHE));
    if (!pages)
        return false;
    *pages += (uint32_t)change;
    file->pages += (uint64_t)(int64_t)change;
    book->all_pages += (uint64_t)(int64_t)change;
    return true;
}

/* Takes pages out of a leaf. */
static void drop_pages(struct cache_book *book, struct cache_file *file, uint64_t number,
                       uint64_t gone)
{
    const struct page_leaf *leaf = page_book_leaf(&file->book, number);
    size_t const leaves = file->book.leaves.count;
    gone &= leaf ? leaf->used : 0;
    for (uint64_t left = gone; left; left &= left - 1)
        (void)count(book, file, leaf->keys[__builtin_ctzll(left)].stack, -1);
    page_book_drop(&file->book, number, gone);
    book->memory -= (leaves - file->book.leaves.count) * LEAF_COST;
}

static void add_pages(struct cache_book *book, struct cache_file *file, uint64_t number,
                      uint64_t added, uint32_t stack)
{
    bool const is_new = page_book_leaf(&file->book, number) == NULL;
    bool const has_room = !is_new || book->memory + LEAF_COST <= book->memory_max;
    struct page_leaf *leaf = has_room ? page_book_leaf_to_write(&file->book, number, true) : NULL;
    if (!leaf) {
        book->full += (uint64_t)__builtin_popcountll(added);
        return;
    }
    book->memory += is_new ? LEAF_COST : 0;
    for (uint64_t left = added; left; left &= left - 1) {
        uint64_t const page = (uint64_t)__builtin_ctzll(left), bit = 1ull << page;
        if (leaf->used & bit) /* the drop event of this page was lost */
            (void)count(book, file, leaf->keys[page].stack, -1);
        leaf->used &= ~bit;
        if (!count(book, file, stack, 1))
            continue;
        leaf->used |= bit;
        leaf->keys[page] = (struct page_key){.stack = stack};
    }
}

static uint64_t bits_of(uint64_t number, uint64_t first, uint64_t past)
{
    uint64_t const start = number * BOOK_LEAF_PAGES;
    uint64_t const low = first > start ? first - start : 0;
    uint64_t const high = past < start + BOOK_LEAF_PAGES ? past - start : BOOK_LEAF_PAGES;
    return low >= high ? 0 : ~0ull >> (BOOK_LEAF_PAGES - (high - low)) << low;
}

static bool is_span(const struct cache_span *span)
{
    return span->pages > 0 && span->pages <= FOLIO_MAX &&
           span->first < BOOK_ADDRESS_MAX / BOOK_PAGE - FOLIO_MAX;
}

void cache_book_add(struct cache_book *book, const struct cache_span *span, uint32_t stack)
{
    uint64_t key;
    if (!is_span(span))
        return;
    struct cache_file *file = find_file(book, span->device, span->inode, &key);
    if (!file)
        file = make_file(book, span->device, span->inode, key);
    if (!file) {
        book->full += span->pages;
        return;
    }
    uint64_t const past = span->first + span->pages;
    for (uint64_t number = span->first / BOOK_LEAF_PAGES; number * BOOK_LEAF_PAGES < past; number++)
        add_pages(book, file, number, bits_of(number, span->first, past), stack);
}

/* The last file of the list moves to the free place. */
static void remove_file(struct cache_book *book, struct cache_file *file, uint64_t key)
{
    struct cache_file const last = book->files.items[book->files.count - 1];
    uint32_t const place = number_map_remove(&book->index, key);
    page_book_fini(&file->book);
    book->memory -= FILE_COST;
    if (place != book->files.count) {
        uint64_t last_key;
        (void)find_file(book, last.device, last.inode, &last_key);
        book->files.items[place - 1] = last;
        *number_map_at(&book->index, last_key) = place;
    }
    book->files.count--;
}

void cache_book_drop(struct cache_book *book, const struct cache_span *span)
{
    uint64_t key;
    struct cache_file *file =
        is_span(span) ? find_file(book, span->device, span->inode, &key) : NULL;
    if (!file) {
        book->strange++;
        return;
    }
    uint64_t const past = span->first + span->pages, before = file->pages;
    for (uint64_t number = span->first / BOOK_LEAF_PAGES; number * BOOK_LEAF_PAGES < past; number++)
        drop_pages(book, file, number, bits_of(number, span->first, past));
    book->strange += file->pages == before;
    if (file->pages == 0)
        remove_file(book, file, key);
}

static int copy_counts(const struct number_map *from, struct number_map *to)
{
    for (size_t i = 0; i < from->room; i++) {
        if (!from->items[i].key || !from->items[i].value)
            continue;
        uint32_t *value = number_map_at(to, from->items[i].key);
        if (!value)
            return -ENOMEM;
        *value = from->items[i].value;
    }
    return 0;
}

int cache_book_changes(struct cache_book *book, struct page_parts *changes)
{
    struct number_map now = {.items = NULL};
    int err = copy_counts(&book->pages, &now);
    if (err == 0)
        err = page_parts_compare(&book->told, &now, changes);
    if (err < 0) {
        number_map_fini(&now);
        return err;
    }
    number_map_fini(&book->told);
    book->told = now;
    return 0;
}
