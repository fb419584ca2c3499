/* heap_book_parts.h - what a heap book is made of, for the files that are one. */
#pragma once

#include "capture/books/fork_log.h"
#include "capture/books/heap_book.h"
#include "capture/books/ledger.h"
#include "capture/books/live_doubt.h"

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
