/* ring.h - one thread's ring as the recorder sees it; shared by the reader and those who empty
 * rings beside it. */
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
    uint64_t tail, limit;       /* read up to; this round ends at */
    uint64_t peek;              /* looked at up to, beforehand */
    uint64_t tsc;               /* the newest stamp that was read: rings are read in this order */
    uint64_t time_ns, block_ns; /* the same on the clock of the recorder; of the session */
    uint64_t rate;              /* of the allocations that follow, see EVENT_RATE */
    uint64_t moving;            /* the address that a realloc under way gave up */
    uint32_t thread, index;
    bool is_large;      /* the session's tables are: what comes is to be brought in beforehand */
    uint32_t last_site; /* of this thread's last allocation */
    bool blocked; /* the record at the tail cannot be read now: it waits for another ring, or for
                     its own rest */
    bool hurry;   /* it waited too long: book it now */
    int ahead;    /* of its turn, when it waits for another ring; else 0 */
    uint64_t held_since_ns;
    /* Words that were taken out of the ring unread, because nobody had time: [spill_from,
     * spill_to). */
    uint64_t *spill;
    uint64_t spill_from, spill_to, spill_room;
    /* by who reads it, or moves its words; of what is above, but for what only the reader has */
    atomic_bool is_held;
};

/* For the time of a copy of the ring at most. */
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

/* Where the thread may write up to: behind everything that is read or spilt. */
static inline uint64_t ring_consumed(const struct ring *ring)
{
    return ring->tail > ring->spill_to ? ring->tail : ring->spill_to;
}

/* Whether its cursors are in order: spilt words come first, and hold what is not read of them. */
bool ring_is_valid(const struct ring *ring);

/* Tells the thread how much is taken, and wakes it if it waits for that. */
void ring_give_room(struct ring *ring);
/* Whether all is read that was written up to `head`, or the rest can never be. */
bool ring_is_past(const struct ring *ring, uint64_t head);
