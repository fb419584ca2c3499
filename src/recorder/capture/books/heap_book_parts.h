/* heap_book_parts.h - the inside of a heap book, for the files that implement it. */
#pragma once

#include "capture/books/fork_log.h"
#include "capture/books/heap_book.h"
#include "capture/books/ledger.h"

/* A block that a failed realloc may give back, and how it was booked.  Few reallocs are under way
 * when a round ends, and hardly one of them fails, so a few of the newest are enough. */
#define MOVING_KEPT 512u
struct moving_block {
    struct block block;
    uint32_t ring;
    unsigned lifetime;
    bool temporary;
    uint32_t site, thread; /* If temporary: those of its struct freeing. */
};

/* Frees were lost: which blocks may be freed although they count as live, and how high the peak was
 * at least.
 *
 * Threads report late what they lost and did before.  So a block is in doubt by its time alone, and
 * by the same rule when it is allocated and when it is freed.  Rather too much is in doubt than too
 * little. */
struct live_doubt {
    /* Blocks allocated before this are in doubt; in the units of the kept time. 0: nothing was
     * lost. */
    uint64_t until;
    int64_t bytes, count;           /* Doubted bytes and blocks that are live now. */
    uint64_t peak_count;            /* Doubted blocks at the peak. */
    uint64_t peak_floor, floor_ns;  /* Most that was live without any doubted block, and when. */
    uint64_t first_floor, first_ns; /* Most that was live before anything was lost, and when. */
};

struct heap_book {
    bool of_pools;
    struct block_table *blocks;
    /* Most blocks that may be booked; number of allocations beyond that. */
    uint64_t most_blocks, refused;
    bool (*ask)(void *asker); /* Asks for more; may be NULL. */
    void *asker;
    struct fork_log *forks; /* NULL until the process forks. */
    struct ledger sites, threads;
    struct moving_block moving[MOVING_KEPT]; /* A ring of the newest; address 0: none. */
    uint32_t moving_next;
    uint64_t *rates; /* By site; NULL while nothing is sampled. */
    uint32_t rate_room;
    uint64_t epoch; /* Counts peaks. */
    struct live_doubt doubt;
    int64_t live_bytes, live_count, live_slack;
    uint64_t live_spread, peak_spread; /* How uncertain the numbers are: see model/sampling.h. */
    uint64_t live_call_spread, peak_call_spread;
    int64_t bucket_max, bucket_min;
    struct totals totals;
};

/* Live is what was allocated minus what was freed, modulo 2^64. */
static inline bool heap_book_sums_agree(const struct heap_book *book)
{
    return (uint64_t)book->live_bytes == book->totals.bytes - book->totals.freed_bytes &&
           (uint64_t)book->live_count == book->totals.calls - book->totals.frees;
}

static inline bool doubt_has(const struct live_doubt *doubt, const struct block *block)
{
    return block->time_ns >> BLOCK_TIME_SHIFT < doubt->until;
}

/* Notes that `live` bytes are live at this time. */
static inline void doubt_floor(struct live_doubt *doubt, int64_t live, uint64_t time_ns)
{
    int64_t const sure = (int64_t)((uint64_t)live - (uint64_t)doubt->bytes);
    if (sure <= (int64_t)doubt->peak_floor)
        return;
    doubt->peak_floor = (uint64_t)sure;
    doubt->floor_ns = time_ns;
}

/* Returns how many of the `live` bytes or blocks are doubted. */
static inline uint64_t doubt_of_live(const struct live_doubt *doubt, int64_t doubted, int64_t live)
{
    int64_t const both = doubted < live ? doubted : live;
    return doubt->until && both > 0 ? (uint64_t)both : 0;
}
