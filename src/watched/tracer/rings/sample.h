/* sample.h - which allocations a sampling tracer takes, and which blocks it has taken.
 *
 * Each thread has a quota of bytes to go before it takes an allocation, drawn anew each time
 * from an exponential distribution: so every byte is equally likely to be the one.  Taken blocks
 * are in a table of this process; a byte for each small group of addresses says whether any of
 * them is in it, which is all that the free of any other block looks at.
 *
 * Tracing everything is a quota of 0; tracing nothing, one that never ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracer/process/probes.h"
#include "tracer/rings/thread.h"

extern bool sample_ever __attribute__((visibility("hidden"))); /* was anything but full, once */

#define SAMPLE_FILTER_BITS 16
extern _Atomic uint8_t sample_filter[1 << SAMPLE_FILTER_BITS] __attribute__((visibility("hidden")));

/* Neighbours have neighbouring bytes. */
static inline uint32_t sample_filter_at(uint64_t address)
{
    return (uint32_t)((address >> 4) + (address >> 20) * 0x9e37u) &
           ((1u << SAMPLE_FILTER_BITS) - 1);
}

/* False: the block was not taken.  True: it may have been. */
static inline bool sample_may_have(const void *block)
{
    return atomic_load_explicit(&sample_filter[sample_filter_at((uint64_t)block)],
                                memory_order_relaxed) != 0;
}

/* The recorder wants what this thread's quota is for. */
static inline bool sample_is_settled(const struct tracer_thread *self)
{
    return self->rate == atomic_load_explicit(tracer_process.rate, memory_order_relaxed);
}

/* Whether an allocation is not to be looked at any further.  It takes n + 1 bytes off the quota
 * then; otherwise that is still to be decided, by sample_wants. */
static inline bool sample_passes(size_t size)
{
    struct tracer_thread *self = &tracer_self;
    if (size >= self->quota || !sample_is_settled(self))
        return false;
    self->quota -= size + 1;
    return true;
}

/* Whether a free may go on to the real function. */
static inline bool sample_passes_free(const void *block)
{
    const struct tracer_thread *self = &tracer_self;
    return self->quota > 0 && sample_is_settled(self) && !sample_may_have(block);
}

bool sample_wants_slowly(size_t size, const void *block);
bool sample_wants_free_slowly(const void *block);

/* Inside the arena: whether the new block is to be recorded. */
static always_inline bool sample_wants(size_t size, const void *block)
{
    if (likely((tracer_self.rate |
                atomic_load_explicit(tracer_process.rate, memory_order_relaxed)) == RATE_FULL)) {
        PROBE_ALLOC(block, size, size);
        return true;
    }
    return sample_wants_slowly(size, block);
}

/* Inside the arena: whether the end of the block is to be recorded.  It is forgotten then. */
static always_inline bool sample_wants_free(const void *block)
{
    if (likely(!sample_ever)) {
        PROBE_FREE(block);
        return true;
    }
    return sample_wants_free_slowly(block);
}

/* The rate page: from now on, and for as long as this process lives, what the recorder of the
 * arena `fd` wants; or, after unwatch, everything. */
extern const _Atomic uint64_t sample_no_rate __attribute__((visibility("hidden")));
void sample_watch(int fd);
void sample_unwatch(void);

/* Remembers a taken block.  false when there is no room: then it is not to be recorded. */
bool sample_keep(const void *block);
/* Forgets a block that is about to be freed.  false when it was not taken. */
bool sample_forget(const void *block);
/* A block that is not the allocator's, whose free must never pass. */
void sample_pin(const void *block);
/* Forgets all but those; no other thread may be tracing. */
void sample_forget_all(void);

/* The bytes that a taken allocation stands for: size / (1 - e^(-(size + 1) / rate)); the size
 * itself when all are taken. */
uint64_t sample_weight(uint64_t size, uint64_t rate);
/* Bytes that pass before an allocation is taken, at `rate` bytes on average. */
uint64_t sample_draw(uint64_t *random, uint64_t rate);
