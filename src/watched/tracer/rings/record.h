/* record.h - one function for each event of memory; hooks only call these.  All are called between
 * tracer_enter and tracer_leave.
 *
 * What runs at every malloc and free is inline: if the program's own stack is deep, each level of
 * calls costs it a return address that the processor no longer predicts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "machine/processor.h"
#include "tracer/process/real.h"
#include "tracer/rings/ring.h"
#include "tracer/stacks/stack.h"
#include "tracer/rings/thin.h"
#include "tracer/rings/thread.h"
#include "wire/invariant.h"

/* For realloc: record_move is called before the real call, record_moved_block after it with
 * `began`, what record_move returned.  `block` NULL: nothing happened; or, with size 0, the old
 * block was freed. */
bool record_move(void *block, uint64_t size);
void record_moved_block(bool began, void *block, size_t size, uint64_t usable, void *hook_frame);

/* Like these two, for a block that may or may not have been recorded, and may or may not be. */
struct resizing {
    void *block;
    bool followed, began;
};
/* `size` as in record_free. */
void record_resize(struct resizing *resizing, uint64_t size);
void record_resized(const struct resizing *resizing, void *moved, size_t size, uint64_t usable,
                    void *hook_frame);

void record_map(void *address, size_t length, void *hook_frame);
bool record_unmap(void *address, size_t length);
void record_unmapped(bool began, bool done);

/* Forgets all counters; no thread may be counting. */
void record_forget(void);

/* Parts of the inline functions below. */
void record_slotless(uint64_t calls, uint64_t bytes, uint64_t frees);
void record_big(struct arena_slot *slot, void *block, uint32_t stack, size_t size, uint64_t usable);

/* One of this many events has its own cost measured. */
#define COST_EVERY 1024u

static inline struct arena_slot *own_slot(void)
{
    struct arena_slot *slot = tracer_self.slot;
    return likely(slot != NULL) ? slot : thread_claim_slot();
}

/* How many events each group of addresses has seen.  Only one thread at a time owns an address, so
 * its events are counted in order.  Two threads with two addresses of one group may, rarely, count
 * the same number; the recorder handles that. */
extern uint16_t event_numbers[EVENT_GROUPS] __attribute__((visibility("hidden")));

static inline uint64_t next_number(const void *block)
{
    uint16_t *number = &event_numbers[event_group((uint64_t)block)];
    uint16_t next = (uint16_t)(__atomic_load_n(number, __ATOMIC_RELAXED) + 1);
    __atomic_store_n(number, next, __ATOMIC_RELAXED);
    return (uint64_t)(next & EVENT_SEQUENCE_MASK) << EVENT_SEQUENCE_SHIFT;
}

static inline uint64_t usable_size(void *block)
{
    return real.malloc_usable_size ? real.malloc_usable_size(block) : 0;
}

/* For a block that is about to be freed. */
static inline uint64_t size_at_end(void *block)
{
    return real.malloc_usable_size ? real.malloc_usable_size(block) : SIZE_UNKNOWN;
}

/* Writes a RATE record if the next events have another rate than the last. */
static inline void note_rate(struct arena_slot *slot)
{
    uint64_t rate = unlikely(slot->thin) ? EVENT_RATE_THINNED | RATE_THIN : tracer_self.rate;
    if (likely(slot->rate == rate))
        return;
    slot->rate = rate;
    ring_put1(slot, rate << 4 | EVENT_RATE);
}

static always_inline void put_alloc(struct arena_slot *slot, void *block, size_t size,
                                    uint64_t usable, uint32_t stack)
{
    INVARIANT(stack < ARENA_NODES); /* It has 22 bits. */
    uint64_t spare = usable / 8 - (size + 7) / 8;
    note_rate(slot);
    slot->last_alloc = slot->next;
    if (likely(spare < EVENT_SPARE_LIMIT && size < EVENT_SIZE_LIMIT && usable % 8 == 0))
        ring_put2(slot, (uint64_t)block << 16 | next_number(block) | EVENT_ALLOC,
                  (uint64_t)stack << EVENT_NODE_SHIFT | spare << EVENT_SIZE_BITS | size);
    else /* Also if the allocator does not say how much is usable. */
        record_big(slot, block, stack, size, usable > size ? usable : size);
}

/* Does not use the rate that the ring knows, which may be that of the block before. */
static inline void note_alloc(struct arena_slot *slot, void *block)
{
    bool const is_sampled = unlikely(slot->thin) || tracer_self.rate != RATE_FULL;
    slot->last_block = is_sampled ? 0 : (uint64_t)block; /* What came between is unknown. */
}

/* To be called after the event was written: if the thread is killed in between, nothing is missing,
 * because its call never returned. */
static inline void count_alloc(struct arena_slot *slot, size_t size)
{
    slot->calls++;
    slot->bytes += size;
}

/* A longer time was a wait for the recorder, which is counted separately, or for a processor. */
#define COST_TICKS_MAX (1u << 16)

/* Equally for allocations and frees, so that the mean is that of all events. */
static inline bool cost_is_due(uint64_t count)
{
    return count % COST_EVERY == COST_EVERY - 1;
}

static inline void note_cost(struct arena_slot *slot, uint64_t ticks)
{
    if (ticks > COST_TICKS_MAX)
        return;
    slot->cost_ticks += ticks;
    slot->cost_events++;
}

/* Records a block of any allocator, which can hold `usable` bytes. */
static always_inline void record_block(void *block, size_t size, uint64_t usable, void *hook_frame)
{
    struct arena_slot *slot = own_slot();
    if (unlikely(!slot)) {
        record_slotless(1, size, 0);
        return;
    }
    note_alloc(slot, block);
    if (unlikely(slot->thin) && thin_leaves_out(slot, size)) {
        count_alloc(slot, size);
        return;
    }
    uint64_t start = unlikely(cost_is_due(slot->calls)) ? processor_ticks() : 0;
    if (likely(ring_begin(slot, (struct event_weight){1, size, 0, size})))
        put_alloc(slot, block, size, usable, stack_capture(slot, hook_frame));
    count_alloc(slot, size);
    if (unlikely(start))
        note_cost(slot, processor_ticks() - start);
}

/* Records a block of libc, or of the allocator in its place. */
static always_inline void record_alloc(void *block, size_t size, void *hook_frame)
{
    record_block(block, size, usable_size(block), hook_frame);
}

static inline void record_moved(bool began, void *block, size_t size, void *hook_frame)
{
    record_moved_block(began, block, size, block ? usable_size(block) : 0, hook_frame);
}

/* Returns the word of FREE or MOVE: the address, and whether the block was temporary. */
static always_inline uint64_t free_word(struct arena_slot *slot, void *block)
{
    uint64_t word = (uint64_t)block << 16;
    if (slot->last_block == (uint64_t)block) {
        slot->last_block = 0;
        word |= EVENT_TEMPORARY;
    }
    return word;
}

/* If a block is freed before anything else happened in its thread, and nobody has read its record,
 * that record becomes a PAIR.  Not done while events are few and each has a time stamp, because
 * that would hide the time between the two. */
static always_inline bool cancel_pair(struct arena_slot *slot, void *block, uint64_t size)
{
    uint64_t at = slot->last_alloc;
    uint64_t clock = atomic_load_explicit(&tracer_process.header->clock, memory_order_relaxed);
    if (at + 2 != slot->next || clock == 0 || clock != slot->last_clock ||
        (size > ORDER_PAIR_BYTES && ring_is_one_of_several()))
        return false;
    uint64_t *place = &arena_slot_ring(slot)[at % RING_WORDS], word = *place;
    if (event_type_of(word) != EVENT_ALLOC || (word & EVENT_TAKEN) ||
        !__atomic_compare_exchange_n(place, &word, word - EVENT_ALLOC + EVENT_PAIR, false,
                                     __ATOMIC_RELEASE, __ATOMIC_RELAXED))
        return false;
    next_number(block);
    return true;
}

static always_inline void put_free(struct arena_slot *slot, void *block, uint64_t size)
{
    uint64_t word = free_word(slot, block);
    if ((word & EVENT_TEMPORARY) && cancel_pair(slot, block, size))
        return;
    if (unlikely(!ring_begin(slot, (struct event_weight){0, 0, 1, size})))
        return;
    ring_put1(slot, word | next_number(block) | EVENT_FREE);
}

/* `size`: of the block, about, or SIZE_UNKNOWN. */
static always_inline void record_free(void *block, uint64_t size)
{
    struct arena_slot *slot = own_slot();
    if (unlikely(!slot)) {
        record_slotless(0, 0, 1);
        return;
    }
    uint64_t start = unlikely(cost_is_due(slot->frees)) ? processor_ticks() : 0;
    put_free(slot, block, size);
    slot->frees++; /* See count_alloc. */
    if (unlikely(start))
        note_cost(slot, processor_ticks() - start);
}
