/* heap_book.h - the books of one process's heap: per call site and per thread, what was allocated,
 * freed and is live, now and at the peak.
 *
 * The peak picture is exact and costs nothing per peak: a new peak only counts up an epoch, and a
 * site saves its value the first time it changes after that.  Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/books/block_table.h"
#include "model/recording.h"

struct heap_book;

struct heap_book *heap_book_create(void); /* NULL when out of memory */
/* The same for blocks of the program's own pools: counted in other columns. */
struct heap_book *heap_book_create_for_pools(void);
void heap_book_destroy(struct heap_book *book);

/* Room for sites (or threads) up to `count`; 0 or -ENOMEM. */
int heap_book_reserve(struct heap_book *book, uint32_t sites, uint32_t threads);
/* Whether there is room for this one, and for the threads that came with it. */
bool heap_book_has_site(const struct heap_book *book, uint32_t site);

/* Books one allocation.  0; 1 when a block was found live that cannot be, so that its free was
 * missed: it is booked as freed now; or -ENOMEM. */
int heap_book_alloc(struct heap_book *book, const struct block *block);

/* The blocks of this site are samples: each stands for several, see model/sampling.h.  0 or
 * -ENOMEM. */
int heap_book_set_rate(struct heap_book *book, uint32_t site, uint64_t rate);
/* Books all blocks that are no samples as freed.  Their bytes. */
uint64_t heap_book_forget_exact(struct heap_book *book, uint64_t time_ns);

/* Books a block that was freed before anything else happened in its thread.  It never was in the
 * table. */
void heap_book_pair(struct heap_book *book, const struct block *block);

/* The process forks, at this time: from now on it can be asked what it had then.  0 or -ENOMEM. */
int heap_book_fork(struct heap_book *book, uint32_t id, uint64_t time_ns);
bool heap_book_has_forked(const struct heap_book *book, uint32_t id); /* then, or later ones */
/* Shows every block that was live at that fork; a few perhaps twice.  false when it is not known
 * any more. */
bool heap_book_visit_fork(const struct heap_book *book, uint32_t id, block_visitor *visit,
                          void *context);

/* For who keeps the blocks himself: books that one was made, or that it is gone. */
void heap_book_made(struct heap_book *book, const struct block *block);
void heap_book_gone(struct heap_book *book, const struct block *block, uint64_t time_ns);

/* How a block was freed. */
struct freeing {
    uint64_t address;
    uint64_t time_ns;
    bool temporary;
    bool moving;     /* by realloc, which may yet fail: see heap_book_restore */
    uint32_t ring;   /* then: whose */
    uint32_t thread; /* who frees; a temporary block is its own */
    uint32_t site;   /* of a temporary block: where this thread allocated last */
};
/* Undoes the `moving` free of an address by a ring.  0, -EEXIST when the address is taken, -ENOENT
 * when there was none, or -ENOMEM. */
int heap_book_restore(struct heap_book *book, uint64_t address, uint32_t ring, uint64_t time_ns);

/* 0, or -ENOENT when no block is live there. */
int heap_book_free(struct heap_book *book, const struct freeing *freeing);

void heap_book_prefetch(const struct heap_book *book, uint64_t address);

/* Adds what was booked since the last call to the cells of `bucket`. */
int heap_book_close_bucket(struct heap_book *book, struct bucket *bucket);
/* The heap's part of the gauges since the last call. */
void heap_book_close_gauges(struct heap_book *book, struct gauges *gauges);
/* The histograms since the last call, as further cells of `bucket`. */
int heap_book_close_histograms(struct heap_book *book, struct bucket *bucket);

/* Adds the level columns of every site at the peak, or now, to `pin`. */
int heap_book_pin_peak(const struct heap_book *book, struct pin *pin);
int heap_book_pin_now(const struct heap_book *book, struct pin *pin);

/* The live blocks; of a sampled heap, those that were taken. */
const struct block_table *heap_book_blocks(const struct heap_book *book);

/* Frees were lost between these times: blocks that are live now may be gone already.
 * `peak_before`: the most that was live before.  Then: how much of what is live now may be gone,
 * and how much lower the peak may have been. */
void heap_book_doubt(struct heap_book *book, uint64_t begin_ns, uint64_t end_ns,
                     uint64_t peak_before);
void heap_book_doubts(const struct heap_book *book, uint64_t *live, uint64_t *peak);
/* The same of blocks: how many of those that are live, or that counted as live at the time of
 * the peak. */
void heap_book_doubted_calls(const struct heap_book *book, uint64_t *live, uint64_t *peak);

/* How uncertain that, and the peak, is because blocks were sampled: see model/sampling.h. */
void heap_book_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak);
void heap_book_call_spreads(const struct heap_book *book, uint64_t *live, uint64_t *peak);

/* Whether sites, threads and totals agree on what is live. */
bool heap_book_is_valid(const struct heap_book *book);
void heap_book_totals(const struct heap_book *book, struct totals *totals);
static inline uint64_t heap_book_live_blocks(const struct heap_book *book)
{
    return block_table_count(heap_book_blocks(book));
}
/* More are not taken in, nor what would take more memory of ours: their allocation is -ENOMEM.
 * Before that `ask` is called, if there is one, which may raise the limits: whether it did. */
struct heap_limits {
    uint64_t blocks;
    struct block_limits table;
};
void heap_book_limit(struct heap_book *book, const struct heap_limits *most);
void heap_book_ask_for_more(struct heap_book *book, bool (*ask)(void *context), void *context);
uint64_t heap_book_refused(const struct heap_book *book); /* so far */
/* Of our memory, for blocks; and what a look at all of them costs, in blocks. */
static inline uint64_t heap_book_table_bytes(const struct heap_book *book)
{
    return block_table_bytes(heap_book_blocks(book));
}
static inline uint64_t heap_book_visit_cost(const struct heap_book *book)
{
    return heap_book_table_bytes(book) / sizeof(uint64_t[2]); /* of one in the table */
}
int64_t heap_book_live_count(const struct heap_book *book); /* with what samples stand for */
