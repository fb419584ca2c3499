/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/heap_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* One owner of memory: a call site or a thread. */
struct account {
    int64_t live_bytes, live_count, live_slack;
    int64_t saved_bytes, saved_count, saved_slack; /* as of the peak of `saved_epoch` */
    uint64_t saved_epoch;
    /* since the last bucket */
    uint64_t bytes, freed;
    uint64_t slack, slack_freed;
    int32_t calls, frees, temporary; /* may go below zero: a free undone in the next bucket */
    uint32_t touched;                /* is in the list of accounts that have something above */
};

struct histogram {
    uint32_t sizes[SIZE_CLASSES];
    int32_t lifetimes[LIFETIME_CLASSES]; /* may go below zero: a free undone */
};

struct ledger {
    struct account *accounts;
    uint32_t count;
    VEC(uint32_t) touched;
};

/* A block that realloc may give back, with how it was booked.  Few reallocs are under way when a
 * round ends, and hardly one of them fails: a handful of the newest is enough. */
#define MOVING_KEPT 512u
struct moving_block {
    struct block block;
    uint32_t ring;
    unsigned lifetime;
    bool temporary;
    uint32_t site, thread; /* then: of what */
};

struct heap_book {
    struct block_table *blocks;
    struct ledger sites, threads;
    struct histogram *histograms;            /* by site */
    struct moving_block moving[MOVING_KEPT]; /* a ring of the newest; address 0: none */
    uint32_t moving_next;
    uint64_t epoch; /* counts peaks */
    int64_t live_bytes, live_count, live_slack;
    int64_t bucket_max, bucket_min;
    struct totals totals;
};

struct heap_book *heap_book_create(void)
{
    struct heap_book *book = calloc(1, sizeof(*book));
    if (!book || !(book->blocks = block_table_create())) {
        free(book);
        return NULL;
    }
    return book;
}

static void ledger_fini(struct ledger *ledger)
{
    free(ledger->accounts);
    vec_free(&ledger->touched);
}

void heap_book_destroy(struct heap_book *book)
{
    if (!book)
        return;
    block_table_destroy(book->blocks);
    ledger_fini(&book->sites);
    ledger_fini(&book->threads);
    free(book->histograms);
    free(book);
}

static void *grow_zeroed(void *items, uint32_t old, uint32_t new, size_t size)
{
    char *grown = reallocarray(items, new, size);
    if (grown)
        memset(grown + (size_t)old * size, 0, (size_t)(new - old) * size);
    return grown;
}

/* Touching must not fail in the middle of an event, so the list has room for all. */
static int ledger_reserve(struct ledger *ledger, uint32_t count)
{
    if (count <= ledger->count)
        return 0;
    uint32_t room = ledger->count ? ledger->count : 64;
    while (room < count)
        room *= 2;
    struct account *grown = grow_zeroed(ledger->accounts, ledger->count, room, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    ledger->accounts = grown;
    if (!vec_reserve(&ledger->touched, room - ledger->touched.count))
        return -ENOMEM;
    ledger->count = room;
    return 0;
}

int heap_book_reserve(struct heap_book *book, uint32_t sites, uint32_t threads)
{
    uint32_t old = book->sites.count;
    if (ledger_reserve(&book->sites, sites) < 0 || ledger_reserve(&book->threads, threads) < 0)
        return -ENOMEM;
    if (book->sites.count > old) {
        struct histogram *grown =
            grow_zeroed(book->histograms, old, book->sites.count, sizeof(*grown));
        if (!grown) {
            book->sites.count = old;
            return -ENOMEM;
        }
        book->histograms = grown;
    }
    return 0;
}

/* The account, ready to be changed: its value at the peak is safe, and the bucket knows of it. */
static inline struct account *touch(struct heap_book *book, struct ledger *ledger, uint32_t index)
{
    struct account *account = &ledger->accounts[index];
    if (account->saved_epoch != book->epoch) {
        account->saved_bytes = account->live_bytes;
        account->saved_count = account->live_count;
        account->saved_slack = account->live_slack;
        account->saved_epoch = book->epoch;
    }
    if (!account->touched) {
        account->touched = 1;
        ledger->touched.items[ledger->touched.count++] = index;
    }
    return account;
}

static inline void book_alloc(struct account *account, uint64_t size, uint64_t slack)
{
    account->live_bytes += (int64_t)size;
    account->live_count++;
    account->live_slack += (int64_t)slack;
    account->bytes += size;
    account->calls++;
    account->slack += slack;
}

static inline void book_free(struct account *account, uint64_t size, uint64_t slack)
{
    account->live_bytes -= (int64_t)size;
    account->live_count--;
    account->live_slack -= (int64_t)slack;
    account->freed += size;
    account->frees++;
    account->slack_freed += slack;
}

/* Books that a block is gone.  Its lifetime class. */
static unsigned book_gone(struct heap_book *book, const struct block *block, uint64_t time_ns)
{
    uint64_t age = time_ns > block->time_ns ? time_ns - block->time_ns : 0;
    unsigned lifetime = lifetime_class(age);
    book_free(touch(book, &book->sites, block->site), block->size, block->slack);
    book_free(touch(book, &book->threads, block->thread), block->size, block->slack);
    book->histograms[block->site].lifetimes[lifetime]++;
    book->live_bytes -= (int64_t)block->size;
    book->live_slack -= (int64_t)block->slack;
    book->live_count--;
    book->totals.frees++;
    book->totals.freed_bytes += block->size;
    if (book->live_bytes < book->bucket_min)
        book->bucket_min = book->live_bytes;
    return lifetime;
}

static inline void note_peak(struct heap_book *book, uint64_t time_ns)
{
    if (book->live_bytes > book->bucket_max)
        book->bucket_max = book->live_bytes;
    if (book->live_bytes <= (int64_t)book->totals.peak_bytes)
        return;
    book->totals.peak_bytes = (uint64_t)book->live_bytes;
    book->totals.peak_count = (uint64_t)book->live_count;
    book->totals.peak_time_ns = time_ns;
    book->totals.peak_slack_bytes = (uint64_t)book->live_slack;
    book->epoch++;
}

static inline void book_made(struct heap_book *book, const struct block *block)
{
    book_alloc(touch(book, &book->sites, block->site), block->size, block->slack);
    book_alloc(touch(book, &book->threads, block->thread), block->size, block->slack);
    book->histograms[block->site].sizes[size_class(block->size)]++;
    book->live_bytes += (int64_t)block->size;
    book->live_slack += (int64_t)block->slack;
    book->live_count++;
    book->totals.calls++;
    book->totals.bytes += block->size;
    book->totals.slack_bytes += block->slack;
    note_peak(book, block->time_ns);
}

int heap_book_alloc(struct heap_book *book, const struct block *block)
{
    struct block missed;
    int replaced = block_table_insert(book->blocks, block, &missed);
    if (replaced < 0)
        return replaced;
    if (replaced)
        book_gone(book, &missed, block->time_ns);
    book_made(book, block);
    return replaced;
}

static void unbook_free(struct account *account, const struct moving_block *moving)
{
    account->live_bytes += (int64_t)moving->block.size;
    account->live_count++;
    account->live_slack += (int64_t)moving->block.slack;
    account->freed -= moving->block.size;
    account->frees--;
    account->slack_freed -= moving->block.slack;
}

/* Which block was the temporary one is known from its own thread's last allocation, even where it
 * is not known which of several blocks at an address a free was for. */
static void book_temporary(struct heap_book *book, uint32_t site, uint32_t thread, int by)
{
    touch(book, &book->sites, site)->temporary += by;
    touch(book, &book->threads, thread)->temporary += by;
    book->totals.temporary += (uint64_t)(int64_t)by;
}

static struct moving_block *find_moving(struct heap_book *book, uint64_t address, uint32_t ring)
{
    for (uint32_t i = 0; i < MOVING_KEPT; i++) {
        struct moving_block *moving = &book->moving[(book->moving_next - 1 - i) % MOVING_KEPT];
        if (moving->block.address == address && moving->ring == ring)
            return moving;
    }
    return NULL;
}

int heap_book_restore(struct heap_book *book, uint64_t address, uint32_t ring, uint64_t time_ns)
{
    struct moving_block *found = find_moving(book, address, ring);
    if (!found)
        return -ENOENT;
    struct moving_block moving = *found;
    struct block missed;
    int replaced = block_table_insert(book->blocks, &moving.block, &missed);
    if (replaced < 0)
        return -ENOMEM;
    if (replaced)
        book_gone(book, &missed, moving.block.time_ns);
    found->block.address = 0;
    unbook_free(touch(book, &book->sites, moving.block.site), &moving);
    unbook_free(touch(book, &book->threads, moving.block.thread), &moving);
    book->histograms[moving.block.site].lifetimes[moving.lifetime]--;
    book->live_bytes += (int64_t)moving.block.size;
    book->live_slack += (int64_t)moving.block.slack;
    book->live_count++;
    book->totals.frees--;
    book->totals.freed_bytes -= moving.block.size;
    if (moving.temporary)
        book_temporary(book, moving.site, moving.thread, -1);
    note_peak(book, time_ns);
    return 0;
}

void heap_book_pair(struct heap_book *book, const struct block *block)
{
    book_made(book, block);
    book_gone(book, block, block->time_ns);
    book_temporary(book, block->site, block->thread, 1);
}

int heap_book_free(struct heap_book *book, const struct freeing *freeing)
{
    struct block block;
    if (!block_table_take(book->blocks, freeing->address, &block))
        return -ENOENT;
    unsigned lifetime = book_gone(book, &block, freeing->time_ns);
    if (freeing->temporary)
        book_temporary(book, freeing->site, freeing->thread, 1);
    if (freeing->moving)
        book->moving[book->moving_next++ % MOVING_KEPT] =
            (struct moving_block){.block = block,
                                  .ring = freeing->ring,
                                  .lifetime = lifetime,
                                  .temporary = freeing->temporary,
                                  .site = freeing->site,
                                  .thread = freeing->thread};
    return 0;
}

bool heap_book_has(const struct heap_book *book, uint64_t address)
{
    return block_table_has(book->blocks, address);
}

void heap_book_prefetch(const struct heap_book *book, uint64_t address)
{
    block_table_prefetch(book->blocks, address);
}

struct cell_list {
    VEC(struct cell) cells;
    bool failed;
};

static void add_cell(struct cell_list *list, uint32_t key, enum column column, int64_t value)
{
    if (value != 0 && !vec_push(&list->cells, (struct cell){key, (uint16_t)column, value}))
        list->failed = true;
}

/* All cells since the last bucket; the accounts begin anew. */
static void drain_ledger(struct ledger *ledger, struct cell_list *list)
{
    vec_each (index, &ledger->touched) {
        struct account *account = &ledger->accounts[*index];
        add_cell(list, *index, COL_HEAP_CALLS, account->calls);
        add_cell(list, *index, COL_HEAP_BYTES, (int64_t)account->bytes);
        add_cell(list, *index, COL_HEAP_FREES, account->frees);
        add_cell(list, *index, COL_HEAP_FREED, (int64_t)account->freed);
        add_cell(list, *index, COL_HEAP_TEMPORARY, account->temporary);
        add_cell(list, *index, COL_HEAP_SLACK, (int64_t)account->slack);
        add_cell(list, *index, COL_HEAP_SLACK_FREED, (int64_t)account->slack_freed);
        account->bytes = account->freed = account->slack = account->slack_freed = 0;
        account->calls = account->frees = account->temporary = account->touched = 0;
    }
    ledger->touched.count = 0;
}

int heap_book_close_bucket(struct heap_book *book, struct bucket *bucket)
{
    struct cell_list sites = {.failed = false}, threads = {.failed = false};
    drain_ledger(&book->sites, &sites);
    drain_ledger(&book->threads, &threads);
    bucket->cells = sites.cells.items;
    bucket->cell_count = sites.cells.count;
    bucket->thread_cells = threads.cells.items;
    bucket->thread_cell_count = threads.cells.count;
    bucket->gauges.heap_live_end = book->live_bytes;
    bucket->gauges.heap_live_max = book->bucket_max;
    bucket->gauges.heap_live_min = book->bucket_min;
    book->bucket_max = book->bucket_min = book->live_bytes;
    return sites.failed || threads.failed ? -ENOMEM : 0;
}

int heap_book_close_histograms(struct heap_book *book, struct bucket *bucket)
{
    struct cell_list list = {.cells = {bucket->cells, bucket->cell_count, bucket->cell_count}};
    for (uint32_t site = 0; site < book->sites.count; site++) {
        struct histogram *histogram = &book->histograms[site];
        for (unsigned k = 0; k < SIZE_CLASSES; k++)
            add_cell(&list, site, (enum column)(COL_SIZE_0 + k), histogram->sizes[k]);
        for (unsigned k = 0; k < LIFETIME_CLASSES; k++)
            add_cell(&list, site, (enum column)(COL_LIFETIME_0 + k), histogram->lifetimes[k]);
    }
    if (book->histograms)
        memset(book->histograms, 0, book->sites.count * sizeof(struct histogram));
    bucket->cells = list.cells.items;
    bucket->cell_count = list.cells.count;
    return list.failed ? -ENOMEM : 0;
}

static void pin_ledger(const struct heap_book *book, const struct ledger *ledger, bool at_peak,
                       struct cell_list *list)
{
    for (uint32_t i = 0; i < ledger->count; i++) {
        const struct account *account = &ledger->accounts[i];
        bool saved = at_peak && account->saved_epoch == book->epoch;
        add_cell(list, i, COL_HEAP_BYTES, saved ? account->saved_bytes : account->live_bytes);
        add_cell(list, i, COL_HEAP_CALLS, saved ? account->saved_count : account->live_count);
        add_cell(list, i, COL_HEAP_SLACK, saved ? account->saved_slack : account->live_slack);
    }
}

static int pin_all(const struct heap_book *book, bool at_peak, struct pin *pin)
{
    struct cell_list sites = {.failed = false}, threads = {.failed = false};
    pin_ledger(book, &book->sites, at_peak, &sites);
    pin_ledger(book, &book->threads, at_peak, &threads);
    pin->cells = sites.cells.items;
    pin->cell_count = sites.cells.count;
    pin->thread_cells = threads.cells.items;
    pin->thread_cell_count = threads.cells.count;
    return sites.failed || threads.failed ? -ENOMEM : 0;
}

int heap_book_pin_peak(const struct heap_book *book, struct pin *pin)
{
    pin->kind = PIN_PEAK;
    pin->time_ns = book->totals.peak_time_ns;
    return pin_all(book, true, pin);
}

int heap_book_pin_now(const struct heap_book *book, struct pin *pin)
{
    return pin_all(book, false, pin);
}

void heap_book_totals(const struct heap_book *book, struct totals *totals)
{
    *totals = book->totals;
}

uint64_t heap_book_live_blocks(const struct heap_book *book)
{
    return block_table_count(book->blocks);
}
