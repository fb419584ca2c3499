/* memory_bound.h - keeps a recorder's own memory below a bound, whatever the program does.
 *
 * Nearly all of it are books of live blocks.  At five eighths of the bound the heap is traced by
 * samples, and ever fewer while the memory still grows: blocks from before are not followed any
 * more, which frees their books.  A program that does not obey, for it has forged what it tells,
 * finds that blocks are not booked any more. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The bound if nobody wishes one; more for a program that has more memory itself. */
#define MEMORY_BOUND_DEFAULT (1ull << 30)
#define MEMORY_BOUND_LEAST   (64ull << 20)

struct memory_bound {
    uint64_t wished_bytes;  /* 0: the default */
    uint64_t program_bytes; /* The most that one of the programs was seen to have. */
    uint64_t next_ns;       /* Of the next look. */
    uint64_t stepped_bytes; /* What there was at the last step; 0: there was none. */
    uint64_t rate;          /* Of the last step. */
};

void memory_bound_init(struct memory_bound *bound, uint64_t wished_bytes);
uint64_t memory_bound_bytes(const struct memory_bound *bound);

/* Called every round.  Returns whether the heap should be traced with another rate now, *rate,
 * which is that of before. */
bool memory_bound_look(struct memory_bound *bound, uint64_t now_ns, uint64_t *rate);

/* Returns how many bytes of books may be added now. */
uint64_t memory_bound_left(const struct memory_bound *bound);

/* For memory_bound_look and tests: `used_bytes` is the recorder's memory. */
bool memory_bound_step(struct memory_bound *bound, uint64_t used_bytes, uint64_t *rate);
