/* sample.h - which allocations a sampling tracer takes, and which blocks it has taken.
 *
 * Each thread has a quota of bytes until it takes an allocation.  The quota is drawn anew each time
 * from an exponential distribution, so every byte is equally likely to be taken.  Taken blocks are
 * in a table of this process.  A byte for each small group of addresses says whether any of them is
 * in the table; the free of any other block looks only at that byte.
 *
 * A quota of 0 traces everything; a quota that never ends traces nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/process/probes.h"
#include "tracer/rings/thread.h"

/* The rate was anything but full, once. */
extern bool sample_ever __attribute__((visibility("hidden")));

#define SAMPLE_FILTER_BITS 16
extern _Atomic uint8_t sample_filter[1 << SAMPLE_FILTER_BITS] __attribute__((visibility("hidden")));

/* Neighbouring addresses have neighbouring bytes. */
static inline uint32_t sample_filter_at(uint64_t address)
{
    return (uint32_t)((address >> 4) + (address >> 20) * 0x9e37u) &
           ((1u << SAMPLE_FILTER_BITS) - 1);
}

/* Returns false if the block was not taken; true if it may have been. */
static inline bool sample_may_have(const void *block)
{
    return atomic_load_explicit(&sample_filter[sample_filter_at((uint64_t)block)],
                                memory_order_relaxed) != 0;
}

/* Returns whether this thread's quota was drawn for the rate that the recorder wants. */
static inline bool sample_is_settled(const struct tracer_thread *self)
{
    return self->rate == atomic_load_explicit(tracer_process.rate, memory_order_relaxed);
}

/* Returns whether an allocation needs no further look; then takes size + 1 bytes off the quota.
 * Else sample_wants must decide. */
static inline bool sample_passes(size_t size)
{
    struct tracer_thread *self = &tracer_self;
    if (size >= self->quota || !sample_is_settled(self))
        return false;
    self->quota -= size + 1;
    return true;
}

/* Returns whether a free may go on to the real function. */
static inline bool sample_passes_free(const void *block)
{
    const struct tracer_thread *self = &tracer_self;
    return self->quota > 0 && sample_is_settled(self) && !sample_may_have(block);
}

bool sample_wants_slowly(size_t size, const void *block);
bool sample_wants_free_slowly(const void *block);

/* Inside the arena: returns whether the new block is to be recorded. */
static always_inline bool sample_wants(size_t size, const void *block)
{
    if (likely((tracer_self.rate |
                atomic_load_explicit(tracer_process.rate, memory_order_relaxed)) == RATE_FULL)) {
        PROBE_ALLOC(block, size, size);
        return true;
    }
    return sample_wants_slowly(size, block);
}

/* Inside the arena: returns whether the free of the block is to be recorded; if so, forgets the
 * block. */
static always_inline bool sample_wants_free(const void *block)
{
    if (likely(!sample_ever)) {
        PROBE_FREE(block);
        return true;
    }
    return sample_wants_free_slowly(block);
}

/* Maps the rate page: what the recorder of the arena `fd` wants, from now on and as long as this
 * process lives; after sample_unwatch, everything. */
extern const _Atomic uint64_t sample_no_rate __attribute__((visibility("hidden")));
void sample_watch(int fd);
void sample_unwatch(void);

/* Remembers a taken block.  Returns false if there is no room: then it must not be recorded. */
bool sample_keep(const void *block);
/* Forgets a block that is about to be freed.  Returns false if it was not taken. */
bool sample_forget(const void *block);
/* Marks a block that is not the allocator's: its free must never pass. */
void sample_pin(const void *block);
/* Forgets all blocks but those that were pinned; no other thread may be tracing. */
void sample_forget_all(void);

/* Returns the bytes that a taken allocation stands for: size / (1 - e^(-(size + 1) / rate)); the
 * size itself when all are taken. */
uint64_t sample_weight(uint64_t size, uint64_t rate);
/* Draws how many bytes pass before an allocation is taken, on average `rate`. */
uint64_t sample_draw(uint64_t *random, uint64_t rate);
