/* live_doubt.h - frees were lost: which blocks may be gone although they count as live, and what the peak was at least.
 *
 * Threads tell late what they lost, and of what came before.  So a block is in doubt by its time, and by the same rule when it
 * is made and when it is freed; what is in doubt is rather too much than too little. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture/books/block_table.h"

struct live_doubt {
    uint64_t
        until; /* blocks made before, in the units that they keep of their time; 0: nothing was lost */
    int64_t bytes, count;           /* of them, live now */
    uint64_t peak_count;            /* of them, at the peak */
    uint64_t peak_floor, floor_ns;  /* was live then without any of them */
    uint64_t first_floor, first_ns; /* was live before anything was lost */
};

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

/* Frees were lost between these times; all that is live is in `bytes` from then on. */
static inline void doubt_gap(struct live_doubt *doubt, uint64_t begin_ns, uint64_t end_ns,
                             uint64_t peak_before)
{
    uint64_t const until = (end_ns >> BLOCK_TIME_SHIFT) + 1;
    if (doubt->until == 0 || begin_ns < doubt->first_ns) {
        doubt->first_floor = peak_before;
        doubt->first_ns = begin_ns;
    }
    if (doubt->floor_ns == 0 || doubt->floor_ns >= begin_ns) {
        doubt->peak_floor = doubt->first_floor;
        doubt->floor_ns = 0;
    }
    if (until > doubt->until)
        doubt->until = until;
}

/* Of the bytes or blocks that are live, those that are `doubted`. */
static inline uint64_t doubt_of_live(const struct live_doubt *doubt, int64_t doubted, int64_t live)
{
    int64_t const both = doubted < live ? doubted : live;
    return doubt->until && both > 0 ? (uint64_t)both : 0;
}

static inline uint64_t doubt_of_peak(const struct live_doubt *doubt, uint64_t peak)
{
    return doubt->until && peak > doubt->peak_floor ? peak - doubt->peak_floor : 0;
}
