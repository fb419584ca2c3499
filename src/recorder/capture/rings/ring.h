/* ring.h - one thread's ring as the recorder sees it.  The reader uses it, and so do the threads
 * that empty rings while the reader is busy. */
#pragma once

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/invariant.h"
#include "capture/rings/arena.h"
#include "capture/sessions/session_books.h"

struct ring {
    struct shared_slot *slot;
    struct shared_ring *words;
    struct session *session;
    uint64_t tail, limit; /* The ring is read up to `tail`; this round ends at `limit`. */
    uint64_t peek;        /* Records up to here were prefetched. */
    uint64_t tsc; /* Newest time stamp that was read; rings are read in the order of these. */
    uint64_t time_ns, block_ns; /* That stamp on the recorder's clock; that of the session's. */
    uint64_t rate;              /* Sampling rate of the allocations that follow, see EVENT_RATE. */
    uint64_t moving;            /* Address that an unfinished realloc gave up. */
    uint32_t thread, index;
    bool is_large;      /* The session's tables are large, so prefetching pays. */
    uint32_t last_site; /* Site of this thread's last allocation. */
    /* The record at the tail cannot be read now: it waits for another ring, or for its own rest. */
    bool blocked;
    bool hurry; /* The record waited too long: book it now. */
    int ahead;  /* See ordering_book, while the ring waits for another ring; else 0. */
    uint64_t held_since_ns;
    /* Words [spill_from, spill_to), moved out of the ring unread because the reader had no time. */
    uint64_t *spill;
    uint64_t spill_from, spill_to, spill_room;
    /* Held by the thread that reads the ring or moves its words.  Protects the members above,
     * except those that only the reader uses. */
    atomic_bool is_held;
};

/* Tries to hold the ring; holders keep it no longer than a copy of the ring takes. */
static inline bool ring_try_hold(struct ring *ring)
{
    return !atomic_exchange_explicit(&ring->is_held, true, memory_order_acquire);
}

static inline void ring_hold(struct ring *ring)
{
    while (__builtin_expect(!ring_try_hold(ring), 0))
        sched_yield();
}

static inline void ring_let_go(struct ring *ring)
{
    INVARIANT(atomic_load_explicit(&ring->is_held, memory_order_relaxed));
    atomic_store_explicit(&ring->is_held, false, memory_order_release);
}

static inline uint64_t ring_word(const struct ring *ring, uint64_t at)
{
    if (__builtin_expect(at < ring->spill_to, 0)) {
        INVARIANT(at >= ring->spill_from);
        return ring->spill[at - ring->spill_from];
    }
    return shared_word(ring->words, at);
}

/* Returns up to where words are read or spilt: the thread may write over those. */
static inline uint64_t ring_consumed(const struct ring *ring)
{
    return ring->tail > ring->spill_to ? ring->tail : ring->spill_to;
}

/* Returns whether the cursors are in order: spilt words come first, and contain all of them that
 * are unread. */
bool ring_is_valid(const struct ring *ring);

/* Tells the thread how much of the ring is free, and wakes the thread if it waits for that. */
void ring_give_room(struct ring *ring);
/* Returns whether all words up to `head` are read, or the rest can never be read. */
bool ring_is_past(const struct ring *ring, uint64_t head);
