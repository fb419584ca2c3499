/* told.h - records of what the program itself told through memoir.h: blocks of its own allocators,
 * regions, marks.
 *
 *   ALLOC    block:48 head:16 | node:32 -:21 number:11 | size | fill
 *   FREE     block:48 head:16 | fill:32 -:21 number:11
 *   POOL     -:48     head:16 | fill:32 before:32 | text   the filling `fill` begins, `before` ends
 *   REGION   start:48 head:16 | node | length | text
 *   UNNAME   start:48 head:16 | length
 *   MARK     -:44 mark:4 head:16 | tsc | text
 *   head     words:8 kind:4 type:4     all words, this one included
 *   text     to the end of the record, filled up with NULs
 *
 * A pool that is reset gives up all its blocks at once.  So that nobody has to say which, each block
 * names the filling it belongs to: a number that a pool gets when it is first used and anew after each
 * reset; 0 is no pool.  A filling may be named by a record that is read before its POOL: that
 * record waits.  Blocks are numbered among themselves as those of the heap are (event.h).
 *
 * A MARK has its time in a TIME before it, and its thread has changed the clock word since: so what other
 * threads do after it comes with a later time. */
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

#define TOLD_TEXT_MAX  128u /* bytes */
#define TOLD_WORDS_MAX (3u + TOLD_TEXT_MAX / 8)

/* The words before the text, if there is any. */
static inline unsigned told_fixed_words(enum told_kind kind)
{
    static const uint8_t words[16] = {[TOLD_ALLOC] = 4,  [TOLD_FREE] = 2,   [TOLD_POOL] = 2,
                                      [TOLD_REGION] = 3, [TOLD_UNNAME] = 2, [TOLD_MARK] = 2};
    return words[kind & 15];
}

static inline uint64_t told_head(uint64_t address, enum told_kind kind, unsigned words)
{
    INVARIANT(kind < 16 && words < 256); /* they have 4 and 8 bits */
    return address << 16 | (uint64_t)words << 8 | (uint64_t)kind << 4 | EVENT_TOLD;
}

static inline enum told_kind told_kind_of(uint64_t first)
{
    return (enum told_kind)(first >> 4 & 15);
}
