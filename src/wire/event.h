/* event.h - the words in a ring.  Records are one to five 64-bit words; the low four bits of the
 * first say which, and how many words follow.
 *
 *   ALLOC      addr:48 slack:8 number:4 type:4 | stack:28 size:36  slack = usable - size
 *   ALLOC_BIG  addr:48 -:8 number:4 type:4 | stack | size | usable
 *   FREE       addr:48 usable:7 temporary:1 number:4 type:4       usable / 8 modulo 128
 *   FREE_BIG   addr:48 -:7 temporary:1 number:4 type:4 | usable
 *   MOVE       like FREE_BIG: realloc is about to take this block;  the next record of this thread
 * is its end: an ALLOC (moved or resized), MOVE_FREED (realloc to 0), or MOVE_FAILED (nothing
 * changed) MAP        addr:48 -:12 type:4 | stack | length UNMAP      addr:48 -:12 type:4 | length
 * next record: DONE or UNDONE TIME       tsc:60 type:4 GAP        -:60 type:4 | events | calls |
 * bytes | start tsc    up to now THREAD     tid:32 process:16 -:12 type:4 | tsc                 a
 * new owner writes from here on
 *
 * Order: a free is written before the real call, an allocation after it.  So the records of one
 * address alternate across all threads, and each is numbered in that order, modulo 16, together
 * with the few other addresses of its group.  That, not time, orders them. */
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

#define EVENT_SIZE_BITS      36
#define EVENT_SIZE_LIMIT     (1ull << EVENT_SIZE_BITS)
#define EVENT_STACK_BITS     28
#define EVENT_TEMPORARY      (1u << 8)
#define EVENT_USABLE_SHIFT   9
#define EVENT_USABLE_MASK    127u /* of usable / 8 */
#define EVENT_USABLE_LIMIT   1024u
#define EVENT_SEQUENCE_SHIFT 4
#define EVENT_SEQUENCE_MASK  15u

/* Addresses share their numbers with a few others.  Allocators give each thread a heap of its own
 * at a round address, so what is above that must spread too. */
#define EVENT_GROUPS (1u << 20)
static inline uint32_t event_group(uint64_t address)
{
    return (uint32_t)((address >> 4) + (address >> 20) * 0x9e375u) & (EVENT_GROUPS - 1);
}

static inline uint32_t event_sequence(uint64_t word)
{
    return (uint32_t)(word >> EVENT_SEQUENCE_SHIFT) & EVENT_SEQUENCE_MASK;
}

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
