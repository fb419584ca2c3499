/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/books/heap_book.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cold.h"
#include "base/invariant.h"
#include "capture/books/heap_book_parts.h"
#include "model/sampling.h"

struct heap_book *heap_book_create(void)
{
    struct heap_book *book = calloc(1, sizeof(*book));
    if (!book || !(book->blocks = block_table_create())) {
        free(book);
        return NULL;
    }
    book->most_blocks = UINT64_MAX;
    return book;
}

struct heap_book *heap_book_create_for_pools(void)
{
    struct heap_book *book = heap_book_create();
    if (book)
        book->of_pools = true;
    return book;
}

void heap_book_destroy(struct heap_book *book)
{
    if (!book)
        return;
    INVARIANT(heap_book_is_valid(book));
    block_table_destroy(book->blocks);
    fork_log_destroy(book->forks);
    ledger_fini(&book->sites);
    ledger_fini(&book->threads);
    free(book->rates);
    free(book);
}

int heap_book_reserve(struct heap_book *book, uint32_t sites, uint32_t threads)
{
    int err = ledger_reserve(&book->threads, threads);
    return err < 0 ? err : ledger_reserve(&book->sites, sites);
}

bool heap_book_has_site(const struct heap_book *book, uint32_t site)
{
    return site < book->sites.count;
}

static inline struct account *site_of(struct heap_book *book, uint32_t site)
{
    return ledger_touch(&book->sites, site, book->epoch);
}

static inline struct account *thread_of(struct heap_book *book, uint32_t thread)
{
    return ledger_touch(&book->threads, thread, book->epoch);
}

static inline uint64_t rate_of(const struct heap_book *book, uint32_t site)
{
    INVARIANT(book->rates || book->rate_room == 0);
    return site < book->rate_room ? book->rates[site] : 0;
}

struct weighed {
    struct block block;
    uint64_t calls, spread;
};

/* What a sample stands for.  The same when it is made and when it is freed: the table keeps time
 * to 1 us. */
static struct weighed weigh(struct block block, uint64_t rate)
{
    INVARIANT(rate > 0);
    uint64_t seed = block.address ^ (block.time_ns >> BLOCK_TIME_SHIFT) << 20;
    struct sample_weight weight = sample_weigh(block.size, block.slack, rate, seed);
    block.size = weight.bytes;
    block.slack = weight.slack;
    return (struct weighed){block, weight.calls, weight.spread};
}

/* Of a sample's accounts, ready to be changed; NULL as long as there is no room for it. */
static struct spread *touch_spread(struct ledger *ledger, uint32_t index, uint64_t epoch)
{
    ledger_touch(ledger, index, epoch);
    return ledger->spreads ? &ledger->spreads[index] : NULL;
}

enum spread_change { SPREAD_MADE, SPREAD_GONE, SPREAD_BACK };

/* Before its bytes are booked, which may be a new peak. */
static void book_spread(struct heap_book *book, const struct weighed *weighed,
                        enum spread_change change)
{
    INVARIANT(weighed->calls > 0);
    struct spread *const spreads[] = {
        touch_spread(&book->sites, weighed->block.site, book->epoch),
        touch_spread(&book->threads, weighed->block.thread, book->epoch)};
    for (unsigned i = 0; i < 2; i++) {
        if (!spreads[i])
            continue;
        spreads[i]->made += change == SPREAD_MADE ? weighed->spread : 0;
        spreads[i]->gone += change == SPREAD_GONE   ? weighed->spread
                            : change == SPREAD_BACK ? -weighed->spread
                                                    : 0;
    }
    uint64_t const calls = sample_call_spread(weighed->calls);
    book->live_spread += change == SPREAD_GONE ? -weighed->spread : weighed->spread;
    book->live_call_spread += change == SPREAD_GONE ? -calls : calls;
}

static COLD void book_doubt(struct heap_book *book, uint64_t bytes, uint64_t calls)
{
    sum_add(&book->doubt.bytes, bytes);
    sum_add(&book->doubt.count, calls);
}

/* Books that a block is gone, or `calls` blocks of a class.  Its lifetime class. */
static inline unsigned book_gone_as(struct heap_book *book, const struct block *block,
                                    uint64_t time_ns, uint64_t calls)
{
    uint64_t age = time_ns > block->time_ns ? time_ns - block->time_ns : 0;
    unsigned lifetime = lifetime_class(age);
    account_free(site_of(book, block->site), block->size, block->slack, calls);
    account_free(thread_of(book, block->thread), block->size, block->slack, calls);
    ledger_count_lifetime(&book->sites, block->site, lifetime, calls);
    sum_add(&book->live_bytes, -block->size);
    sum_add(&book->live_slack, -block->slack);
    sum_add(&book->live_count, -calls);
    book->totals.frees += calls;
    book->totals.freed_bytes += block->size;
    INVARIANT(heap_book_sums_agree(book));
    if (unlikely(doubt_has(&book->doubt, block)))
        book_doubt(book, -block->size, -calls);
    if (book->live_bytes < book->bucket_min)
        book->bucket_min = book->live_bytes;
    return lifetime;
}

static COLD unsigned book_sample_gone(struct heap_book *book, struct block block, uint64_t time_ns,
                                      uint64_t rate)
{
    struct weighed const weighed = weigh(block, rate);
    book_spread(book, &weighed, SPREAD_GONE);
    return book_gone_as(book, &weighed.block, time_ns, weighed.calls);
}

static inline unsigned book_gone(struct heap_book *book, const struct block *block,
                                 uint64_t time_ns)
{
    uint64_t rate = rate_of(book, block->site);
    return unlikely(rate) ? book_sample_gone(book, *block, time_ns, rate)
                          : book_gone_as(book, block, time_ns, 1);
}

static inline void note_peak(struct heap_book *book, uint64_t time_ns)
{
    if (unlikely(book->doubt.until))
        doubt_floor(&book->doubt, book->live_bytes, time_ns);
    if (book->live_bytes > book->bucket_max)
        book->bucket_max = book->live_bytes;
    if (book->live_bytes <= (int64_t)book->totals.peak_bytes)
        return;
    book->totals.peak_bytes = (uint64_t)book->live_bytes;
    book->totals.peak_count = (uint64_t)book->live_count;
    book->totals.peak_time_ns = time_ns;
    book->totals.peak_slack_bytes = (uint64_t)book->live_slack;
    book->peak_spread = book->live_spread;
    book->peak_call_spread = book->live_call_spread;
    book->doubt.peak_count = doubt_of_live(&book->doubt, book->doubt.count, book->live_count);
    book->epoch++;
    INVARIANT(book->live_bytes == (int64_t)book->totals.peak_bytes && book->epoch > 0);
}

static inline void book_made_as(struct heap_book *book, const struct block *block, uint64_t calls,
                                unsigned class)
{
    account_alloc(site_of(book, block->site), block->size, block->slack, calls);
    account_alloc(thread_of(book, block->thread), block->size, block->slack, calls);
    ledger_count_size(&book->sites, block->site, class, calls);
    sum_add(&book->live_bytes, block->size);
    sum_add(&book->live_slack, block->slack);
    sum_add(&book->live_count, calls);
    if (unlikely(doubt_has(&book->doubt, block)))
        book_doubt(book, block->size, calls);
    book->totals.calls += calls;
    book->totals.bytes += block->size;
    book->totals.slack_bytes += block->slack;
    INVARIANT(heap_book_sums_agree(book));
    note_peak(book, block->time_ns);
}

static COLD void book_sample_made(struct heap_book *book, struct block block, uint64_t rate)
{
    struct weighed const weighed = weigh(block, rate);
    book_spread(book, &weighed, SPREAD_MADE);
    book_made_as(book, &weighed.block, weighed.calls, size_class(block.size));
}

static inline void book_made(struct heap_book *book, const struct block *block)
{
    uint64_t rate = rate_of(book, block->site);
    if (unlikely(rate))
        book_sample_made(book, *block, rate);
    else
        book_made_as(book, block, 1, size_class(block->size));
}

int heap_book_set_rate(struct heap_book *book, uint32_t site, uint64_t rate)
{
    INVARIANT(heap_book_has_site(book, site));
    if (site >= book->rate_room) {
        uint32_t room = 2 * site + 64;
        uint64_t *grown = reallocarray(book->rates, room, sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        memset(grown + book->rate_room, 0, (room - book->rate_room) * sizeof(*grown));
        book->rates = grown;
        book->rate_room = room;
    }
    book->rates[site] = rate;
    INVARIANT(site < book->rate_room);
    int const err = ledger_spread(&book->sites);
    return err < 0 ? err : ledger_spread(&book->threads);
}

struct forgetting {
    struct heap_book *book;
    uint64_t time_ns, bytes;
};

static bool is_exact(void *context, uint32_t site)
{
    return rate_of(((const struct forgetting *)context)->book, site) == 0;
}

static void forget(void *context, const struct block *block)
{
    struct forgetting *forgetting = context;
    INVARIANT(is_exact(forgetting, block->site));
    book_gone_as(forgetting->book, block, forgetting->time_ns, 1);
    forgetting->bytes += block->size;
}

uint64_t heap_book_forget_exact(struct heap_book *book, uint64_t time_ns)
{
    struct forgetting forgetting = {book, time_ns, 0};
    block_table_remove_wanted(book->blocks, &(struct block_remover){&forgetting, is_exact, forget});
    return forgetting.bytes;
}

void heap_book_made(struct heap_book *book, const struct block *block)
{
    book_made(book, block);
}

void heap_book_gone(struct heap_book *book, const struct block *block, uint64_t time_ns)
{
    book_gone(book, block, time_ns);
}

static COLD void log_freed_since_fork(struct heap_book *book, struct block block)
{
    fork_log_freed(book->forks, &block);
}

static inline void log_freed(struct heap_book *book, const struct block *block)
{
    if (unlikely(book->forks))
        log_freed_since_fork(book, *block);
}

static COLD void book_missed(struct heap_book *book, const struct block *missed, uint64_t time_ns)
{
    book_gone(book, missed, time_ns);
    log_freed(book, missed);
}

static COLD bool may_have_more(struct heap_book *book)
{
    if (book->ask && book->ask(book->asker) &&
        block_table_count(book->blocks) < book->most_blocks && !block_table_is_full(book->blocks))
        return true;
    book->refused++;
    return false;
}

/* After it could not be inserted. */
static COLD int insert_again(struct heap_book *book, const struct block *block,
                             struct block *missed, int err)
{
    if (err != -ENOMEM || !block_table_is_full(book->blocks) || !may_have_more(book))
        return err;
    return block_table_insert(book->blocks, block, missed);
}

int heap_book_alloc(struct heap_book *book, const struct block *block)
{
    INVARIANT(heap_book_has_site(book, block->site) && block->thread < book->threads.count);
    struct block missed;
    if (unlikely(block_table_count(book->blocks) >= book->most_blocks) && !may_have_more(book))
        return -ENOMEM;
    int replaced = block_table_insert(book->blocks, block, &missed);
    if (unlikely(replaced < 0))
        replaced = insert_again(book, block, &missed, replaced);
    if (unlikely(replaced < 0))
        return replaced;
    if (unlikely(replaced))
        book_missed(book, &missed, block->time_ns);
    book_made(book, block);
    return replaced;
}

/* Which block was the temporary one is known from its own thread's last allocation, even where it
 * is not known which of several blocks at an address a free was for. */
static void book_temporary(struct heap_book *book, uint32_t site, uint32_t thread, int by)
{
    site_of(book, site)->temporary += by;
    thread_of(book, thread)->temporary += by;
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
    INVARIANT(moving.block.address == address && moving.lifetime < LIFETIME_CLASSES);
    struct block missed;
    int replaced = block_table_insert(book->blocks, &moving.block, &missed);
    if (replaced < 0)
        return -ENOMEM;
    if (replaced)
        book_gone(book, &missed, moving.block.time_ns);
    found->block.address = 0;
    uint64_t rate = rate_of(book, moving.block.site), calls = 1;
    if (rate) {
        struct weighed const weighed = weigh(moving.block, rate);
        book_spread(book, &weighed, SPREAD_BACK);
        moving.block = weighed.block;
        calls = weighed.calls;
    }
    account_unfree(site_of(book, moving.block.site), moving.block.size, moving.block.slack, calls);
    account_unfree(thread_of(book, moving.block.thread), moving.block.size, moving.block.slack,
                   calls);
    sum_add_short(&book->sites.histograms[moving.block.site].lifetimes[moving.lifetime], -calls);
    sum_add(&book->live_bytes, moving.block.size);
    sum_add(&book->live_slack, moving.block.slack);
    sum_add(&book->live_count, calls);
    if (doubt_has(&book->doubt, &moving.block))
        book_doubt(book, moving.block.size, calls);
    book->totals.frees -= calls;
    book->totals.freed_bytes -= moving.block.size;
    INVARIANT(heap_book_sums_agree(book));
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

static COLD void keep_moving(struct heap_book *book, struct freeing freeing, struct block block,
                             unsigned lifetime)
{
    book->moving[book->moving_next++ % MOVING_KEPT] =
        (struct moving_block){.block = block,
                              .ring = freeing.ring,
                              .lifetime = lifetime,
                              .temporary = freeing.temporary,
                              .site = freeing.site,
                              .thread = freeing.thread};
}

int heap_book_free(struct heap_book *book, const struct freeing *freeing)
{
    struct block block;
    if (!block_table_remove(book->blocks, freeing->address, &block))
        return -ENOENT;
    INVARIANT(block.address == freeing->address && heap_book_has_site(book, block.site));
    unsigned lifetime = book_gone(book, &block, freeing->time_ns);
    log_freed(book, &block);
    if (freeing->temporary)
        book_temporary(book, freeing->site, freeing->thread, 1);
    if (unlikely(freeing->moving))
        keep_moving(book, *freeing, block, lifetime);
    return 0;
}

void heap_book_prefetch(const struct heap_book *book, uint64_t address)
{
    block_table_prefetch(book->blocks, address);
}

void heap_book_totals(const struct heap_book *book, struct totals *totals)
{
    *totals = book->totals;
}

const struct block_table *heap_book_blocks(const struct heap_book *book)
{
    return book->blocks;
}

void heap_book_limit(struct heap_book *book, const struct heap_limits *most)
{
    book->most_blocks = most->blocks;
    block_table_limit(book->blocks, &most->table);
}

void heap_book_ask_for_more(struct heap_book *book, bool (*ask)(void *context), void *context)
{
    book->ask = ask;
    book->asker = context;
}

uint64_t heap_book_refused(const struct heap_book *book)
{
    return book->refused;
}

int64_t heap_book_live_count(const struct heap_book *book)
{
    return book->live_count;
}
