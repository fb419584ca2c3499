/* event.h - the words in a ring.  Records are one to six 64-bit words, or as many as they say; the low
 * four bits of the first say which.
 *
 *   ALLOC      addr:48 number:11 taken:1 type:4 | node:22 spare:6 size:36
 *              usable bytes = 8 * (ceil(size / 8) + spare)
 *   ALLOC_BIG  addr:48 number:11 -:1 type:4 | node | size | usable
 *   PAIR       an ALLOC that was still the last record, and unread, when its block was freed: allocation
 *              and free in one, with two numbers
 *   FREE       addr:48 number:11 temporary:1 type:4
 *   MOVE       like FREE: realloc is about to take this block; the next record of this thread is
 *              its end: an ALLOC (moved or resized), or an OUTCOME: DONE (freed, by size 0) or
 *              FAILED (nothing changed)
 *   MAP        addr:48 -:12 type:4 | node | length
 *   UNMAP      addr:48 -:12 type:4 | length     its OUTCOME follows
 *   OUTCOME    -:59 outcome:1 type:4
 *   TIME       tsc:60 type:4
 *   GAP        -:60 type:4 | events | calls | bytes | frees | tsc at its start     events lost up to here; of
 *              them so many allocations, of so many bytes, and so many frees
 *   THREAD     tid:32 process:16 -:12 type:4 | tsc     a new owner writes from here on
 *   TOLD       address:48 words:8 kind:4 type:4 | ...   through memoir.h, see wire/told.h
 *   RATE       thinned:1 rate:59 type:4     the allocations from here on are samples, one in so many bytes; 0: all.
 *              thinned: only because the ring is nearly full; all frees are written, also of blocks that were not
 *   FORK       -:28 id:32 type:4 | tsc     the process is about to fork; where children are followed.  It is a mark, as
 *              in wire/told.h: what others do after it has a later time
 *
 * Order: a free is written before the real call, an allocation after it.  So the records of one
 * address alternate across all threads, and each is numbered in that order, modulo 2048, together
 * with the few other addresses of its group.  That, not time, orders them.
 *
 * A record never changes once another follows it.  The last one may become a PAIR, so a reader that wants it sets
 * `taken` first, and both sides do so with a compare-and-swap. */
#pragma once

#include <stdint.h>

enum event_type {
    EVENT_NONE = 0, /* never written: zero words mean a torn ring */
    EVENT_ALLOC,
    EVENT_ALLOC_BIG,
    EVENT_PAIR,
    EVENT_FREE,
    EVENT_MOVE,
    EVENT_OUTCOME,
    EVENT_MAP,
    EVENT_UNMAP,
    EVENT_TIME,
    EVENT_GAP,
    EVENT_THREAD,
    EVENT_TOLD, /* wire/told.h */
    EVENT_RATE,
    EVENT_FORK,
    EVENT_TYPES
};

enum event_outcome { OUTCOME_FAILED = 0, OUTCOME_DONE = 1 };

#define EVENT_SIZE_BITS      36
#define EVENT_SIZE_LIMIT     (1ull << EVENT_SIZE_BITS)
#define EVENT_SPARE_LIMIT    64u
#define EVENT_NODE_SHIFT     42
#define EVENT_TEMPORARY      (1u << 4)
#define EVENT_TAKEN          (1u << 4) /* of an ALLOC */
#define EVENT_SEQUENCE_SHIFT 5
#define EVENT_RATE_THINNED   (1ull << 59) /* of what follows the type */
#define EVENT_SEQUENCE_MASK  2047u

/* Addresses share their numbers with a few others.  Allocators give each thread a heap of its own
 * at a round address, so what is above that must spread too. */
#define EVENT_GROUPS (1u << 21)
static inline uint32_t event_group(uint64_t address)
{
    return (uint32_t)((address >> 4) + (address >> 21) * 0x9e3779u) & (EVENT_GROUPS - 1);
}

static inline uint32_t event_sequence(uint64_t word)
{
    return (uint32_t)(word >> EVENT_SEQUENCE_SHIFT) & EVENT_SEQUENCE_MASK;
}

static inline unsigned event_words(enum event_type type)
{
    static const uint8_t words[16] = {
        [EVENT_ALLOC] = 2, [EVENT_PAIR] = 2,    [EVENT_ALLOC_BIG] = 4, [EVENT_FREE] = 1,
        [EVENT_MOVE] = 1,  [EVENT_OUTCOME] = 1, [EVENT_MAP] = 3,       [EVENT_UNMAP] = 2,
        [EVENT_TIME] = 1,  [EVENT_GAP] = 6,     [EVENT_THREAD] = 2,    [EVENT_RATE] = 1,
        [EVENT_FORK] = 2};
    return words[type & 15]; /* 0 for a TOLD, whose words are counted in its first: event_length */
}
#define EVENT_WORDS_MAX 6u

static inline enum event_type event_type_of(uint64_t word)
{
    return (enum event_type)(word & 15);
}

/* Words of the record that begins with `first`; 0 when there is no such record. */
static inline unsigned event_length(uint64_t first)
{
    enum event_type type = event_type_of(first);
    return type == EVENT_TOLD ? (unsigned)(first >> 8 & 255) : event_words(type);
}

static inline uint64_t event_address(uint64_t word)
{
    return word >> 16;
}
