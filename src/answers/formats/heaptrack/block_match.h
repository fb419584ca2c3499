/* block_match.h - which of the live blocks of one stack a slot's frees ended: the inner step of
 * block_history.  Blocks are not told apart one by one but in segments, so many born in one slot
 * with so many bytes together; how the bytes spread over them stays open until some of them die. */
#pragma once

#include <stdbool.h>

#include "formats/heaptrack/block_history.h"

struct block_segment {
    uint32_t born;
    uint64_t count, bytes;
    uint64_t dying, dying_bytes; /* chosen in the present slot */
};

struct block_match {
    struct block_runs *out;
    uint32_t stack;
    VEC(struct block_segment) pool; /* live blocks, by average size, rising; then oldest first */
    uint64_t live;                  /* blocks in the pool */
    uint64_t placed, placed_now;    /* temporary blocks made: in all, by the last feed */
};

/* Takes the sums of the next slot; runs that end in it go to `out`.  False when out of memory. */
bool block_match_feed(struct block_match *match, const struct stack_sums *sums);
/* What is live now was never freed. */
bool block_match_finish(struct block_match *match);
void block_match_fini(struct block_match *match);

/* bytes * part / count without overflow; 0 when count is. */
static inline uint64_t share_of(uint64_t bytes, uint64_t part, uint64_t count)
{
    __extension__ typedef unsigned __int128 wide;
    return count ? (uint64_t)((wide)bytes * part / count) : 0;
}
