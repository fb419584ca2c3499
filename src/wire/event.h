/* event.h - the words in a ring.  Records are one to five 64-bit words; the low four bits of the
 * first say which, and how many words follow.
 *
 *   ALLOC      addr:48 slack:8 -:4 type:4 | stack:28 size:36      slack = usable - size
 *   ALLOC_BIG  addr:48 -:12 type:4 | stack | size | usable
 *   FREE       addr:48 usable:10 temporary:1 -:1 type:4           usable modulo 1024
 *   FREE_BIG   addr:48 -:10 temporary:1 -:1 type:4 | usable
 *   MOVE       like FREE_BIG: realloc is about to take this block;  the next record of this thread
 * is its end: an ALLOC (moved or resized), MOVE_FREED (realloc to 0), or MOVE_FAILED (nothing
 * changed) MAP        addr:48 -:12 type:4 | stack | length UNMAP      addr:48 -:12 type:4 | length
 * next record: DONE or UNDONE TIME       tsc:60 type:4 GAP        -:60 type:4 | events | calls |
 * bytes | start tsc    up to now THREAD     tid:32 process:16 -:12 type:4 | tsc                 a
 * new owner writes from here on
 *
 * Order: a free is written before the real call, an allocation after it, so records of one address
 * alternate across all threads, and that, not time, orders them. */
#pragma once

#include <stdint.h>

enum event_type {
    EVENT_NONE = 0, /* never written: zero words mean a torn ring */
    EVENT_ALLOC,
    EVENT_ALLOC_BIG,
    EVENT_FREE,
    EVENT_FREE_BIG,
    EVENT_MOVE,
    EVENT_OUTCOME, /* of MOVE or UNMAP: enum event_outcome above the type */
    EVENT_MAP,
    EVENT_UNMAP,
    EVENT_TIME,
    EVENT_GAP,
    EVENT_THREAD,
    EVENT_TYPES
};

enum event_outcome { OUTCOME_FAILED = 0, OUTCOME_DONE = 1 };

#define EVENT_SIZE_BITS   36
#define EVENT_SIZE_LIMIT  (1ull << EVENT_SIZE_BITS)
#define EVENT_STACK_BITS  28
#define EVENT_TEMPORARY   (1u << 5)
#define EVENT_USABLE_MASK 1023u

static inline unsigned event_words(enum event_type type)
{
    static const uint8_t words[16] = {
        [EVENT_ALLOC] = 2, [EVENT_ALLOC_BIG] = 4, [EVENT_FREE] = 1,  [EVENT_FREE_BIG] = 2,
        [EVENT_MOVE] = 2,  [EVENT_OUTCOME] = 1,   [EVENT_MAP] = 3,   [EVENT_UNMAP] = 2,
        [EVENT_TIME] = 1,  [EVENT_GAP] = 5,       [EVENT_THREAD] = 2};
    return words[type & 15];
}
#define EVENT_WORDS_MAX 5u

static inline enum event_type event_type_of(uint64_t word)
{
    return (enum event_type)(word & 15);
}

static inline uint64_t event_address(uint64_t word)
{
    return word >> 16;
}
