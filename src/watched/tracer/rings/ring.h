/* ring.h - writes events to this thread's ring.
 *
 * One writer, no lock: words are stored, then the head is published.  If the ring is full, the
 * thread waits as long as the recorder makes progress, or as long as the recorder allows
 * (longest_wait_ns).  If the recorder makes no progress for a second, the thread does not wait
 * until it does again; if the recorder died, the tracer turns off.  Events that still find no room
 * are dropped and counted, and a GAP record reports them when there is room again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "machine/processor.h"
#include "tracer/rings/thread.h"
#include "wire/event.h"
#include "wire/invariant.h"

/* Always left free, so that the end of a two-part record, and the time before it, fit without a
 * check. */
#define RING_MARGIN 32u
/* Largest number of events without a new time stamp, for a single thread and for several threads.
 * Each event counts as one, and as one more for every QUIET_BYTES that it allocates or frees: among
 * several threads the order of large events must be known, or the peak would be wrong. */
#define QUIET_MAX    128u
#define QUIET_SHARED ((unsigned)(ORDER_UNSURE_BYTES / QUIET_BYTES))
#define QUIET_BYTES  256u
#define SIZE_UNKNOWN UINT64_MAX /* Treated as large. */

/* What an event adds to the totals if it must be dropped; `moved` is about how many bytes it
 * allocates or frees. */
struct event_weight {
    uint64_t calls, bytes, frees, moved;
};

uint64_t ring_room(const struct arena_slot *slot); /* Words that may be written. */

bool ring_make_room(struct arena_slot *slot, struct event_weight weight);
void ring_tick(struct arena_slot *slot, uint64_t clock);
/* For marks: writes a time that is later than all times before it in this ring; the next events of
 * other threads get later times than it. */
uint64_t ring_put_instant(struct arena_slot *slot);
void ring_wake_recorder(void); /* If it sleeps. */

/* Returns whether the order of events of different threads matters. */
static inline bool ring_is_one_of_several(void)
{
    return atomic_load_explicit(&tracer_process.header->slot_high, memory_order_relaxed) > 1;
}

/* The kernel's monotonic clock, for waits that must end. */
uint64_t ring_clock_ns(void);

/* Makes room for a record of up to EVENT_WORDS_MAX words and its time.  Returns false if the event
 * is dropped. */
static inline bool ring_begin(struct arena_slot *slot, struct event_weight weight)
{
    if (unlikely(slot->next >= slot->look_at) && !ring_make_room(slot, weight))
        return false;
    uint64_t clock = atomic_load_explicit(&tracer_process.header->clock, memory_order_relaxed);
    slot->quiet_events += 1 + weight.moved / QUIET_BYTES;
    if (unlikely(clock != slot->last_clock || slot->quiet_events > QUIET_MAX))
        ring_tick(slot, clock);
    return true;
}

/* The recorder, on another core, was the last to read the next cache lines: prefetches them in
 * time. */
#define RING_AHEAD 64u

static inline void ring_fetch_ahead(uint64_t *ring, uint64_t head)
{
    processor_fetch(&ring[(head + RING_AHEAD) % RING_WORDS]);
}

/* Stores the words of one record and publishes them. */
static inline void ring_put1(struct arena_slot *slot, uint64_t a)
{
    uint64_t head = slot->next;
    uint64_t *ring = arena_slot_ring(slot);
    INVARIANT(atomic_load_explicit(&slot->head, memory_order_relaxed) == head); /* One writer. */
    ring[head % RING_WORDS] = a;
    slot->next = head + 1;
    atomic_store_explicit(&slot->head, head + 1, memory_order_release);
}

static inline void ring_put2(struct arena_slot *slot, uint64_t a, uint64_t b)
{
    uint64_t head = slot->next;
    uint64_t *ring = arena_slot_ring(slot);
    INVARIANT(atomic_load_explicit(&slot->head, memory_order_relaxed) == head);
    ring[head % RING_WORDS] = a;
    ring[(head + 1) % RING_WORDS] = b;
    slot->next = head + 2;
    ring_fetch_ahead(ring, head);
    atomic_store_explicit(&slot->head, head + 2, memory_order_release);
}

void ring_put(struct arena_slot *slot, const uint64_t *words, unsigned count);
