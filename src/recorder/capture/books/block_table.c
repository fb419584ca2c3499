/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/block_table.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cold.h"
#include "base/invariant.h"
#include "capture/books/block_page.h"
#include "capture/books/odd_blocks.h"

#define PAGE_SHIFT  12
#define OFFSET_BITS 9 /* in words of 8 bytes */
#define SITE_BITS   22
#define THREAD_BITS 12
#define SIZE_BITS   36
#define SPARE_BITS  6
#define TIME_SHIFT  BLOCK_TIME_SHIFT
#define TIME_BITS   43
#define FIRST_PAGES 1024u
#define NEAR_PAGES  8u                       /* neighbours that stay neighbours in the table */
#define SHRINK_FROM 64u                      /* entries of a page that few blocks are left in */
#define SPARE_ODD   ((1u << SPARE_BITS) - 1) /* size and slack are in `odd` */

/* An entry: site:22 spare:6 size:36 | time:43 thread:12 place:9.  spare: usable = 8 * (ceil(size
 * / 8) + spare) */

struct block_table {
    struct block_page *pages; /* open addressing, at most half full */
    /* of the hash: odd, by chance, so that no program can choose addresses that collide */
    uint64_t factor;
    uint32_t page_room, page_count;
    uint32_t empty_pages; /* of page_count */
    struct odd_blocks odd;
    uint64_t count, bytes;
    struct block_limits most;
};

static uint64_t random_factor(void)
{
    uint64_t factor = 0;
    if (getentropy(&factor, sizeof(factor)) < 0)
        factor = 0x9e3779b97f4a7c15ull;
    return factor | 1;
}

struct block_table *block_table_create(void)
{
    struct block_table *table = calloc(1, sizeof(*table));
    if (!table)
        return NULL;
    table->factor = random_factor();
    table->most = (struct block_limits){UINT64_MAX, UINT64_MAX};
    table->pages = calloc(FIRST_PAGES, sizeof(struct block_page));
    if (!table->pages) {
        free(table);
        return NULL;
    }
    table->page_room = FIRST_PAGES;
    table->bytes = sizeof(*table) + FIRST_PAGES * sizeof(struct block_page);
    return table;
}

void block_table_destroy(struct block_table *table)
{
    if (!table)
        return;
    INVARIANT(block_table_is_valid(table));
    for (uint32_t i = 0; i < table->page_room; i++)
        block_page_fini(&table->pages[i]);
    free(table->pages);
    odd_blocks_fini(&table->odd);
    free(table);
}

/* Where others are in its place: the pages of a whole neighbourhood move on together, for a few
 * steps; after that a page goes wherever there is room.  The table is at most half full, so that
 * is found. */
static __attribute__((noinline)) struct block_page *find_moved_page(const struct block_table *table,
                                                                    uint64_t number, uint32_t home)
{
    uint32_t const mask = table->page_room - 1;
    INVARIANT((table->page_room & mask) == 0 && 2 * table->page_count <= table->page_room);
    for (uint32_t step = 1; step <= 2 + table->page_room; step++) {
        uint32_t const away = step <= 2 ? step * NEAR_PAGES : step - 2;
        struct block_page *page = &table->pages[(home + away) & mask];
        if (page->number == number || page->number == 0)
            return page;
    }
    abort(); /* make_room and renew_pages keep half of the table free */
}

/* The page's place: where it is, or the empty one where it belongs.  Eight neighbours lie side
 * by side, and each such neighbourhood begins at another one of its eight places: of blocks that
 * all lie in every eighth page, or every sixteenth, no two fight for the same eighth of the
 * table. */
static inline struct block_page *find_page(const struct block_table *table, uint64_t address)
{
    uint64_t number = (address >> PAGE_SHIFT) + 1;
    uint64_t hash = number / NEAR_PAGES * table->factor;
    uint32_t place = ((uint32_t)number + (uint32_t)(hash >> 29)) % NEAR_PAGES;
    uint32_t home = ((uint32_t)(hash >> 32) * NEAR_PAGES + place) & (table->page_room - 1);
    struct block_page *page = &table->pages[home];
    if (likely(page->number == number || page->number == 0))
        return page;
    return find_moved_page(table, number, home);
}

static uint32_t room_for(uint32_t pages)
{
    uint32_t room = FIRST_PAGES;
    while (room < 4 * (uint64_t)pages)
        room *= 2;
    return room;
}

/* A new table with room for as many again, without the pages that are empty now. */
static int renew_pages(struct block_table *table)
{
    struct block_page *old = table->pages;
    uint32_t const old_room = table->page_room, live = table->page_count - table->empty_pages;
    uint32_t const room = room_for(live);
    INVARIANT(table->empty_pages <= table->page_count);
    struct block_page *renewed = calloc(room, sizeof(*renewed));
    if (!renewed)
        return -ENOMEM;
    table->pages = renewed;
    table->page_room = room;
    table->page_count = live;
    table->empty_pages = 0;
    table->bytes += ((uint64_t)room - old_room) * sizeof(*renewed);
    for (uint32_t i = 0; i < old_room; i++) {
        if (old[i].count > 0) {
            *find_page(table, (old[i].number - 1) << PAGE_SHIFT) = old[i];
        } else {
            table->bytes -= block_page_bytes(&old[i]);
            block_page_fini(&old[i]);
        }
    }
    free(old);
    INVARIANT(block_table_is_valid(table));
    return 0;
}

static inline uint32_t site_of(const struct block_entry *entry)
{
    return (uint32_t)(entry->what >> (SIZE_BITS + SPARE_BITS));
}

static uint32_t place_in_page(uint64_t address)
{
    return (uint32_t)(address >> 3) & ((1u << OFFSET_BITS) - 1);
}

static bool has_all_bytes(const struct block_table *table)
{
    return block_table_bytes(table) >= table->most.bytes;
}

static bool has_all_pages(const struct block_table *table)
{
    return table->page_count - table->empty_pages >= table->most.pages;
}

static COLD int put_odd(struct block_table *table, uint64_t address, uint64_t size, uint64_t slack)
{
    return block_table_is_full(table) ? -ENOMEM : odd_blocks_put(&table->odd, address, size, slack);
}

static int pack(struct block_table *table, const struct block *block, struct block_entry *entry)
{
    INVARIANT(block->site >> SITE_BITS == 0 && block->thread >> THREAD_BITS == 0);
    uint64_t usable = block->size + block->slack, size = block->size;
    uint64_t spare = usable / 8 - (size + 7) / 8;
    if (unlikely(size >> SIZE_BITS || spare >= SPARE_ODD || usable % 8)) {
        if (put_odd(table, block->address, size, block->slack) < 0)
            return -ENOMEM;
        spare = SPARE_ODD;
        size = 0;
    }
    entry->what = (uint64_t)block->site << (SIZE_BITS + SPARE_BITS) | spare << SIZE_BITS | size;
    entry->when = (block->time_ns >> TIME_SHIFT) << (64 - TIME_BITS) |
                  (uint64_t)block->thread << OFFSET_BITS | place_in_page(block->address);
    return 0;
}

static bool is_odd(const struct block_entry *entry)
{
    return (entry->what >> SIZE_BITS & SPARE_ODD) == SPARE_ODD;
}

/* Without the size of one that is odd. */
static void look(const struct block_entry *entry, uint64_t address, struct block *block)
{
    uint64_t spare = entry->what >> SIZE_BITS & SPARE_ODD;
    *block = (struct block){.address = address,
                            .size = entry->what & ((1ull << SIZE_BITS) - 1),
                            .time_ns = entry->when >> (64 - TIME_BITS) << TIME_SHIFT,
                            .site = site_of(entry),
                            .thread =
                                (uint32_t)(entry->when >> OFFSET_BITS) & ((1u << THREAD_BITS) - 1)};
    block->slack = 8 * ((block->size + 7) / 8 + spare) - block->size;
}

struct odd_size {
    uint64_t size, slack;
};

static COLD struct odd_size remove_odd(struct block_table *table, uint64_t address)
{
    struct odd_size odd;
    size_t const before = table->odd.count;
    odd_blocks_remove(&table->odd, address, &odd.size, &odd.slack);
    INVARIANT(table->odd.count + 1 == before); /* pack has put it there */
    return odd;
}

/* Of an entry that is about to go, or gone. */
static void unpack(struct block_table *table, const struct block_entry *entry, uint64_t address,
                   struct block *block)
{
    look(entry, address, block);
    if (unlikely(is_odd(entry))) {
        struct odd_size odd = remove_odd(table, address);
        block->size = odd.size;
        block->slack = odd.slack;
    }
}

/* Makes room in the page of `address`, or the page itself.  NULL: out of memory, or full. */
static __attribute__((noinline)) struct block_page *make_room(struct block_table *table,
                                                              uint64_t address)
{
    struct block_page *page = find_page(table, address);
    if (has_all_bytes(table) || (page->count == 0 && has_all_pages(table)))
        return NULL;
    if (page->number == 0) {
        if (2 * table->page_count >= table->page_room) {
            if (renew_pages(table) < 0)
                return NULL;
            page = find_page(table, address);
        }
        page->number = (address >> PAGE_SHIFT) + 1;
        INVARIANT(page->count == 0);
        table->page_count++;
        table->empty_pages++;
    }
    int64_t more = block_page_grow(page);
    if (more == INT64_MIN)
        return NULL;
    table->bytes += (uint64_t)more;
    INVARIANT(!block_page_is_full(page) && page->number == (address >> PAGE_SHIFT) + 1);
    return page;
}

static void note_removal(struct block_table *table, const struct block_page *page)
{
    INVARIANT(table->count > page->count); /* which has one less already */
    table->count--;
    table->empty_pages += page->count == 0;
    INVARIANT(table->empty_pages <= table->page_count);
}

static COLD int withdraw(struct block_table *table, struct block_page *page, uint32_t place)
{
    struct block_entry entry;
    block_page_remove(page, place, &entry);
    note_removal(table, page);
    return -ENOMEM;
}

int block_table_insert(struct block_table *table, const struct block *block, struct block *missed)
{
    bool taken;
    struct block_entry packed;
    if (unlikely(block->address < 8 || block->address % 8))
        return -EINVAL;
    struct block_page *page = find_page(table, block->address);
    if (unlikely(block_page_is_full(page)) && !(page = make_room(table, block->address)))
        return -ENOMEM;
    uint32_t place = place_in_page(block->address);
    struct block_entry *entry = block_page_put(page, place, &taken);
    if (unlikely(taken)) {
        unpack(table, entry, block->address, missed);
    } else {
        INVARIANT(page->count > 1 || table->empty_pages > 0);
        table->empty_pages -= page->count == 1;
        table->count++;
    }
    if (unlikely(pack(table, block, &packed) < 0))
        return withdraw(table, page, place);
    INVARIANT(page->number == (block->address >> PAGE_SHIFT) + 1);
    *entry = packed;
    return taken;
}

/* Gives memory back where few blocks are left: of the page, or of all pages when most of them
 * are empty. */
static void shrink_page(struct block_table *table, struct block_page *page)
{
    if (page->room <= SHRINK_FROM || page->room <= 8u * page->count)
        return;
    int64_t less = block_page_shrink(page); /* or it stays large */
    table->bytes += less == INT64_MIN ? 0 : (uint64_t)less;
}

static void shrink_table(struct block_table *table)
{
    if (table->empty_pages > FIRST_PAGES && table->empty_pages / 3 > table->page_count / 4)
        (void)renew_pages(table);
}

static __attribute__((noinline)) void tidy_up(struct block_table *table, struct block_page *page)
{
    shrink_page(table, page);
    if (page->count == 0)
        shrink_table(table);
}

bool block_table_remove(struct block_table *table, uint64_t address, struct block *block)
{
    struct block_entry entry;
    struct block_page *page = find_page(table, address);
    if (unlikely(address % 8 || !block_page_remove(page, place_in_page(address), &entry)))
        return false;
    INVARIANT(page->number == (address >> PAGE_SHIFT) + 1);
    unpack(table, &entry, address, block);
    note_removal(table, page);
    if (page->room > 8u * page->count)
        tidy_up(table, page);
    return true;
}

static uint64_t address_of(const struct block_page *page, uint32_t place)
{
    INVARIANT(page->number > 0 && place < BLOCK_PAGE_PLACES);
    return (page->number - 1) << PAGE_SHIFT | (uint64_t)place << 3;
}

static void visit_page(const struct block_table *table, const struct block_page *page,
                       block_visitor *visit, void *context)
{
    struct block block;
    uint32_t at = 0, place;
    for (struct block_entry *entry; (entry = block_page_next(page, &at, &place));) {
        look(entry, address_of(page, place), &block);
        if (is_odd(entry))
            odd_blocks_find(&table->odd, block.address, &block.size, &block.slack);
        visit(context, &block);
    }
}

void block_table_visit(const struct block_table *table, block_visitor *visit, void *context)
{
    for (uint32_t i = 0; i < table->page_room; i++)
        visit_page(table, &table->pages[i], visit, context);
}

void block_table_visit_page(const struct block_table *table, uint64_t page, block_visitor *visit,
                            void *context)
{
    visit_page(table, find_page(table, page << PAGE_SHIFT), visit, context);
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t const a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

int block_table_list_pages(const struct block_table *table, uint64_t **pages, size_t *count)
{
    *count = 0;
    *pages = calloc((size_t)table->page_count + 1, sizeof(uint64_t));
    if (!*pages)
        return -ENOMEM;
    for (uint32_t i = 0; i < table->page_room; i++)
        if (table->pages[i].count > 0)
            (*pages)[(*count)++] = table->pages[i].number - 1;
    INVARIANT(*count == table->page_count - table->empty_pages);
    qsort(*pages, *count, sizeof(uint64_t), compare_numbers);
    return 0;
}

static void remove_from_page(struct block_table *table, struct block_page *page,
                             const struct block_remover *remover)
{
    uint32_t at = 0, place;
    for (struct block_entry *entry; (entry = block_page_next(page, &at, &place));) {
        struct block block;
        if (!remover->wants(remover->context, site_of(entry)))
            continue;
        struct block_entry taken;
        bool const found = block_page_remove(page, place, &taken);
        INVARIANT(found);
        unpack(table, &taken, address_of(page, place), &block);
        note_removal(table, page);
        remover->handle(remover->context, &block);
    }
}

void block_table_remove_wanted(struct block_table *table, const struct block_remover *remover)
{
    for (uint32_t i = 0; i < table->page_room; i++) {
        remove_from_page(table, &table->pages[i], remover);
        shrink_page(table, &table->pages[i]);
    }
    shrink_table(table);
    INVARIANT(block_table_is_valid(table));
}

bool block_table_peek(const struct block_table *table, uint64_t address, uint32_t *site)
{
    const struct block_page *page = find_page(table, address);
    const struct block_entry *entry =
        address % 8 ? NULL : block_page_find(page, place_in_page(address));
    if (entry)
        *site = site_of(entry);
    return entry != NULL;
}

void block_table_prefetch(const struct block_table *table, uint64_t address)
{
    block_page_prefetch(find_page(table, address), place_in_page(address));
}

bool block_table_is_valid(const struct block_table *table)
{
    uint64_t count = 0;
    uint64_t bytes = sizeof(*table) + (uint64_t)table->page_room * sizeof(struct block_page);
    uint32_t numbered = 0, empty = 0;
    for (uint32_t i = 0; i < table->page_room; i++) {
        const struct block_page *page = &table->pages[i];
        if (page->number == 0 ? page->room > 0 : !block_page_is_valid(page))
            return false;
        numbered += page->number != 0;
        empty += page->number != 0 && page->count == 0;
        count += page->count;
        bytes += block_page_bytes(page);
    }
    return count == table->count && bytes == table->bytes && numbered == table->page_count &&
           empty == table->empty_pages && 2 * numbered <= table->page_room;
}

uint64_t block_table_count(const struct block_table *table)
{
    return table->count;
}

uint64_t block_table_bytes(const struct block_table *table)
{
    return table->bytes + odd_blocks_bytes(&table->odd);
}

void block_table_limit(struct block_table *table, const struct block_limits *most)
{
    table->most = *most;
}

bool block_table_is_full(const struct block_table *table)
{
    return has_all_bytes(table) || has_all_pages(table);
}
