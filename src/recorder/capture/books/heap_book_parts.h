/* heap_book_parts.h - what a heap book is made of, for the files that are one. */
#pragma once

#include "capture/books/fork_log.h"
#include "capture/books/heap_book.h"
#include "capture/books/ledger.h"

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

/* Frees were lost: which blocks may be gone although they count as live, and what the peak was at
 * least.
 *
 * Threads tell late what they lost, and of what came before.  So a block is in doubt by its
 * time, and by the same rule when it is made and when it is freed; what is in doubt is rather
 * too much than too little. */
struct live_doubt {
    /* blocks made before, in the units that they keep of their time; 0: nothing was lost */
    uint64_t until;
    int64_t bytes, count;           /* of them, live now */
    uint64_t peak_count;            /* of them, at the peak */
    uint64_t peak_floor, floor_ns;  /* was live then without any of them */
    uint64_t first_floor, first_ns; /* was live before anything was lost */
};

struct heap_book {
    bool of_pools;
    struct block_table *blocks;
    uint64_t most_blocks, refused; /* that there can be, and those beyond */
    bool (*ask)(void *asker);      /* for more; may be NULL */
    void *asker;
    struct fork_log *forks; /* NULL until there is one */
    struct ledger sites, threads;
    struct moving_block moving[MOVING_KEPT]; /* a ring of the newest; address 0: none */
    uint32_t moving_next;
    uint64_t *rates; /* by site; NULL while nothing is sampled */
    uint32_t rate_room;
    uint64_t epoch; /* counts peaks */
    struct live_doubt doubt;
    int64_t live_bytes, live_count, live_slack;
    uint64_t live_spread, peak_spread; /* how uncertain they are: see model/sampling.h */
    uint64_t live_call_spread, peak_call_spread;
    int64_t bucket_max, bucket_min;
    struct totals totals;
};

/* What is live is what was made without what is gone, modulo 2^64. */
static inline bool heap_book_sums_agree(const struct heap_book *book)
{
    return (uint64_t)book->live_bytes == book->totals.bytes - book->totals.freed_bytes &&
           (uint64_t)book->live_count == book->totals.calls - book->totals.frees;
}

static inline bool doubt_has(const struct live_doubt *doubt, const struct block *block)
{
    return block->time_ns >> BLOCK_TIME_SHIFT < doubt->until;
}

/* `live` bytes are, at this time. */
static inline void doubt_floor(struct live_doubt *doubt, int64_t live, uint64_t time_ns)
{
    int64_t const sure = (int64_t)((uint64_t)live - (uint64_t)doubt->bytes);
    if (sure <= (int64_t)doubt->peak_floor)
        return;
    doubt->peak_floor = (uint64_t)sure;
    doubt->floor_ns = time_ns;
}

/* Of the bytes or blocks that are live, those that are `doubted`. */
static inline uint64_t doubt_of_live(const struct live_doubt *doubt, int64_t doubted, int64_t live)
{
    int64_t const both = doubted < live ? doubted : live;
    return doubt->until && both > 0 ? (uint64_t)both : 0;
}
