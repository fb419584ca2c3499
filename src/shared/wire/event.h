/* event.h - the records in a ring. A record is one to six 64-bit words, or as many as its first
 * word says. The low four bits of the first word are the type of the record.
 *
 *   ALLOC      addr:48 number:11 taken:1 type:4 | node:22 spare:6 size:36
 *              usable bytes = 8 * (ceil(size / 8) + spare)
 *   ALLOC_BIG  addr:48 number:11 -:1 type:4 | node | size | usable
 *   PAIR       an allocation and its free in one record, with two numbers: an ALLOC that was
 *              still the last record, and unread, when its block was freed
 *   FREE       addr:48 number:11 temporary:1 type:4
 *   MOVE       like FREE: realloc is about to take this block. The next record of this thread
 *              ends the realloc: an ALLOC (moved or resized), or an OUTCOME: DONE (freed, by
 *              size 0) or FAILED (nothing changed)
 *   MAP        addr:48 -:12 type:4 | node | length
 *   UNMAP      addr:48 -:12 type:4 | length     an OUTCOME follows
 *   OUTCOME    -:59 outcome:1 type:4
 *   TIME       tsc:60 type:4
 *   GAP        -:60 type:4 | events | calls | bytes | frees | tsc at the start of the gap
 *              events were lost up to here: number of events, and among them the number of
 *              allocations, their bytes, and the number of frees
 *   THREAD     tid:32 process:16 -:12 type:4 | tsc     a new owner writes from here on
 *   TOLD       address:48 words:8 kind:4 type:4 | ...   through memoir.h, see wire/told.h
 *   RATE       thinned:1 rate:59 type:4     from here on allocations are sampled, on average
 *              one in `rate` bytes; 0: all are recorded. thinned: they are sampled only because
 *              the ring is nearly full; all frees are written, also those of unrecorded blocks
 *   FORK       -:28 id:32 type:4 | tsc     the process is about to fork; written where children
 *              are followed. Like a mark (wire/told.h): what other threads do after it has a
 *              later time
 *
 * Order: a free is recorded before the real call, an allocation after the real call. So the records
 * of one address alternate across all threads. Records are numbered in that order, modulo 2048; an
 * address shares its numbers with the few other addresses of its group. These numbers, not times,
 * order the records.
 *
 * A record never changes once another record follows it. The last record may become a PAIR; so a
 * reader that wants the last record sets `taken` first. Both sides use a compare-and-swap. */
#pragma once

#include <stdint.h>

enum event_type {
    EVENT_NONE = 0, /* Never written: a zero word means a torn ring. */
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
#define EVENT_TAKEN          (1u << 4) /* In the first word of an ALLOC. */
#define EVENT_SEQUENCE_SHIFT 5
/* In the first word, shifted right by the 4 bits of the type. */
#define EVENT_RATE_THINNED  (1ull << 59)
#define EVENT_SEQUENCE_MASK 2047u

/* Addresses share their numbers with a few other addresses: their group. Allocators give each
 * thread a heap of its own at a round address, so the hash also uses the high bits. */
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
    /* 0 for a TOLD: its first word has the number of words, see event_length. */
    return words[type & 15];
}
#define EVENT_WORDS_MAX 6u

static inline enum event_type event_type_of(uint64_t word)
{
    return (enum event_type)(word & 15);
}

/* The number of words of the record that begins with `first`; 0 if the type is invalid. */
static inline unsigned event_length(uint64_t first)
{
    enum event_type type = event_type_of(first);
    return type == EVENT_TOLD ? (unsigned)(first >> 8 & 255) : event_words(type);
}

static inline uint64_t event_address(uint64_t word)
{
    return word >> 16;
}
