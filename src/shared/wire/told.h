/* told.h - records of what the program itself told through memoir.h: blocks of its own allocators,
 * regions, marks.
 *
 *   ALLOC    block:48 head:16 | node:32 -:21 number:11 | size | fill
 *   FREE     block:48 head:16 | fill:32 -:21 number:11
 *   POOL     -:48     head:16 | fill:32 before:32 | text   the fill `fill` begins, `before` ends
 *   REGION   start:48 head:16 | node | length | text
 *   UNNAME   start:48 head:16 | length
 *   MARK     -:44 mark:4 head:16 | tsc | text
 *   head     words:8 kind:4 type:4     words: of the whole record, this word included
 *   text     to the end of the record, padded with NULs
 *
 * A reset of a pool frees all its blocks at once. These blocks are not listed: each block names
 * its fill, a number that a pool gets when it is first used and again after each reset; 0 means no
 * pool. A record may name a fill before the POOL record of that fill was read: that record waits.
 * Blocks are numbered among themselves, as blocks of the heap are (event.h).
 *
 * A MARK has its time in a TIME record before it, and its thread has changed the clock word since.
 * So what other threads do after the mark has a later time. */
#pragma once

#include "wire/event.h"
#include "wire/invariant.h"

enum told_kind {
    TOLD_ALLOC = 1,
    TOLD_FREE,
    TOLD_POOL,
    TOLD_REGION,
    TOLD_UNNAME,
    TOLD_MARK,
    TOLD_KINDS
};

#define TOLD_TEXT_MAX  128u /* Bytes. */
#define TOLD_WORDS_MAX (3u + TOLD_TEXT_MAX / 8)

/* The number of words before the text, or of the whole record if it has no text; 0: unknown
 * kind. */
static inline unsigned told_fixed_words(enum told_kind kind)
{
    static const uint8_t words[16] = {[TOLD_ALLOC] = 4,  [TOLD_FREE] = 2,   [TOLD_POOL] = 2,
                                      [TOLD_REGION] = 3, [TOLD_UNNAME] = 2, [TOLD_MARK] = 2};
    return words[kind & 15];
}

static inline uint64_t told_head(uint64_t address, enum told_kind kind, unsigned words)
{
    INVARIANT(kind < 16 && words < 256); /* Their fields have 4 and 8 bits. */
    return address << 16 | (uint64_t)words << 8 | (uint64_t)kind << 4 | EVENT_TOLD;
}

static inline enum told_kind told_kind_of(uint64_t first)
{
    return (enum told_kind)(first >> 4 & 15);
}
