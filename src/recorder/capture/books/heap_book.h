/* heap_book.h - the books of one process's heap: for each call site and thread, what was allocated,
 * freed and is live, now and at the peak.
 *
 * The snapshot of the peak is exact and costs nothing per peak: a new peak only counts up an epoch,
 * and a site saves its value when it first changes after that.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/books/block_table.h"
#include "model/recording.h"

struct heap_book;

struct heap_book *heap_book_create(void); /* NULL when out of memory. */
/* Like heap_book_create, for blocks of the program's own pools, which are counted in other
 * columns. */
struct heap_book *heap_book_create_for_pools(void);
void heap_book_destroy(struct heap_book *book);

/* Makes room for sites and threads below these numbers.  Returns 0 or -ENOMEM. */
int heap_book_reserve(struct heap_book *book, uint32_t sites, uint32_t threads);
/* Returns whether there is room for this site, and for the threads reserved with it. */
bool heap_book_has_site(const struct heap_book *book, uint32_t site);

/* Books one allocation.  Returns 0; 1 if a block was still live at its address, because its free
 * was missed: that block is booked as freed now; or -ENOMEM. */
int heap_book_alloc(struct heap_book *book, const struct block *block);

/* The blocks of this site are samples: each stands for several, see model/sampling.h.  Returns 0 or
 * -ENOMEM. */
int heap_book_set_rate(struct heap_book *book, uint32_t site, uint64_t rate);
/* Books all blocks that are not samples as freed.  Returns their bytes. */
uint64_t heap_book_forget_exact(struct heap_book *book, uint64_t time_ns);

/* Books a block that was freed before anything else happened in its thread.  It is never in the
 * table. */
void heap_book_pair(struct heap_book *book, const struct block *block);

/* The process forks at `time_ns`: from now on, the book can tell what it had then.  Returns 0 or
 * -ENOMEM. */
int heap_book_fork(struct heap_book *book, uint32_t id, uint64_t time_ns);
bool heap_book_has_forked(const struct heap_book *book, uint32_t id); /* `id`, or a later fork. */
/* Calls `visit` for every block that was live at that fork, for a few perhaps twice.  Returns false
 * if that is no longer known. */
bool heap_book_visit_fork(const struct heap_book *book, uint32_t id, block_visitor *visit,
                          void *context);

/* For a caller that keeps the blocks itself: books that a block was allocated, or freed. */
void heap_book_made(struct heap_book *book, const struct block *block);
void heap_book_gone(struct heap_book *book, const struct block *block, uint64_t time_ns);

/* How a block was freed. */
struct freeing {
    uint64_t address;
    uint64_t time_ns;
    bool temporary;
    bool moving;   /* By realloc, which may still fail: see heap_book_restore. */
    uint32_t ring; /* If moving: the ring that told it. */
    /* The thread that frees; for a temporary block also the one that allocated it. */
    uint32_t thread;
    uint32_t site; /* For a temporary block: the last site at which this thread allocated. */
};
/* Undoes the `moving` free of an address by a ring.  Returns 0, -EEXIST if another block is at the
 * address, -ENOENT if there was no such free, or -ENOMEM. */
int heap_book_restore(struct heap_book *book, uint64_t address, uint32_t ring, uint64_t time_ns);

/* Returns 0, or -ENOENT if no block is live at the address. */
int heap_book_free(struct heap_book *book, const struct freeing *freeing);

void heap_book_prefetch(const struct heap_book *book, uint64_t address);

/* Adds what was booked since the last call to the cells of `bucket`. */
int heap_book_close_bucket(struct heap_book *book, struct bucket *bucket);
/* Sets the heap's part of the gauges since the last call. */
void heap_book_close_gauges(struct heap_book *book, struct gauges *gauges);
/* Adds the histograms since the last call to the cells of `bucket`. */
int heap_book_close_histograms(struct heap_book *book, struct bucket *bucket);

/* Adds the level columns of every site, at the peak or now, to `pin`. */
int heap_book_pin_peak(const struct heap_book *book, struct pin *pin);
int heap_book_pin_now(const struct heap_book *book, struct pin *pin);

/* Returns the live blocks; if the heap is sampled, only the samples. */
const struct block_table *heap_book_blocks(const struct heap_book *book);

/* heap_book_doubt: frees were lost between these times, so blocks that count as live may be freed.
 * `peak_before`: the most that was live before.  heap_book_doubts: how many of the live bytes may
 * be freed, and how much lower the peak may have been. */
void heap_book_doubt(struct heap_book *book, uint64_t begin_ns, uint64_t end_ns,
                     uint64_t peak_before);
void heap_book_doubts(const struct heap_book *book, uint64_t *live, uint64_t *peak);
/* Like heap_book_doubts, for the number of blocks: of the live ones, and of those that counted as
 * live at the time of the peak. */
void heap_book_doubted_calls(const struct heap_book *book, uint64_t *live, uint64_t *peak);

/* How uncertain the live bytes, and the peak, are because blocks were sampled: see
 * model/sampling.h.  heap_book_call_spreads does this for the number of blocks. */
void heap_book_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak);
void heap_book_call_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak);

/* Returns whether sites, threads and totals agree on what is live. */
bool heap_book_is_valid(const struct heap_book *book);
void heap_book_totals(const struct heap_book *book, struct totals *totals);
static inline uint64_t heap_book_live_blocks(const struct heap_book *book)
{
    return block_table_count(heap_book_blocks(book));
}
/* An allocation beyond these limits is not booked: -ENOMEM.  Before that `ask`, if set, is called;
 * it may raise the limits and returns whether it did. */
struct heap_limits {
    uint64_t blocks;
    struct block_limits table;
};
void heap_book_limit(struct heap_book *book, const struct heap_limits *most);
void heap_book_ask_for_more(struct heap_book *book, bool (*ask)(void *context), void *context);
uint64_t heap_book_refused(const struct heap_book *book); /* So far. */
/* Bytes of our memory for blocks; and the cost of a look at all of them, in blocks. */
static inline uint64_t heap_book_table_bytes(const struct heap_book *book)
{
    return block_table_bytes(heap_book_blocks(book));
}
static inline uint64_t heap_book_visit_cost(const struct heap_book *book)
{
    return heap_book_table_bytes(book) / sizeof(uint64_t[2]); /* of one in the table */
}
int64_t heap_book_live_count(const struct heap_book *book); /* Includes what samples stand for. */
