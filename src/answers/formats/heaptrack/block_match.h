/* block_match.h - inside block_history: decides which live blocks of one stack the frees of a slot
 * ended.
 *
 * Blocks are grouped into segments: a number of blocks that were allocated in one slot, with the
 * sum of their bytes.  How the bytes are distributed over the blocks is decided when some of them
 * are freed. */
#pragma once

#include <stdbool.h>

#include "formats/heaptrack/block_history.h"

struct block_segment {
    uint32_t born;
    uint64_t count, bytes;
    uint64_t dying, dying_bytes; /* chosen to be freed in the current slot */
};

struct block_match {
    struct block_runs *out;
    uint32_t stack;
    VEC(struct block_segment) pool; /* live blocks, sorted by average size, then oldest first */
    uint64_t live;                  /* number of blocks in the pool */
    /* temporary blocks: in total, and by the last call of block_match_feed */
    uint64_t placed, placed_now;
};

/* Adds the sums of the next slot; runs that end in this slot are appended to `out`.  Returns false
 * when out of memory. */
bool block_match_feed(struct block_match *match, const struct stack_sums *sums);
/* Ends the runs of blocks that are still live: they were never freed. */
bool block_match_finish(struct block_match *match);
void block_match_fini(struct block_match *match);

/* Returns bytes * part / count without overflow; 0 if count is 0. */
static inline uint64_t share_of(uint64_t bytes, uint64_t part, uint64_t count)
{
    __extension__ typedef unsigned __int128 wide;
    return count ? (uint64_t)((wide)bytes * part / count) : 0;
}
