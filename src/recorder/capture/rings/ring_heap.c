/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_heap.h"

#include <errno.h>

#include "base/cold.h"
#include "base/invariant.h"
#include "wire/event.h"

bool ring_is_booked(struct ring *ring, int ahead)
{
    INVARIANT(ring->session);
    ring->ahead = ahead > 0 ? ahead : 0;
    if (ahead > 0)
        return false;
    if (ahead < 0)
        session_lost(ring->session, 1);
    ring->hurry = false;
    ring->held_since_ns = 0;
    return true;
}

/* What all heap records begin with.  The rest is not set: there are millions a second. */
static inline void begin_event(struct heap_event *event, const struct ring *ring, uint64_t first,
                               enum heap_event_kind kind)
{
    INVARIANT(ring->index < ARENA_SLOTS);
    event->kind = kind;
    event->ring = ring->index;
    event->sequence = event_sequence(first);
    event->block.address = event_address(first);
    event->block.time_ns = ring->block_ns;
    event->block.thread = ring->thread;
}

static bool book(struct ring *ring, const struct heap_event *event)
{
    return ring_is_booked(ring, session_book(ring->session, event, ring->hurry));
}

/* The first word of an ALLOC that is the last record of its ring.  It may be about to become a
 * PAIR: it is claimed first.  Nothing else becomes of it, whatever is there now. */
static COLD uint64_t claim_alloc(struct ring *ring, uint64_t at, uint64_t first)
{
    if (at < ring->spill_to || event_type_of(first) != EVENT_ALLOC)
        return first;
    uint64_t now = first;
    shared_word_replace(ring->words, at, &now, first | EVENT_TAKEN);
    return event_type_of(now) == EVENT_PAIR ? now : first;
}

static inline bool book_made(struct ring *ring, struct heap_event *event, uint32_t node)
{
    uint32_t site;
    int err = session_site(ring->session, node, ring->rate, &site);
    if (unlikely(err < 0))
        return ring_is_booked(ring, err);
    INVARIANT(event->kind == HEAP_ALLOC || event->kind == HEAP_PAIR);
    event->block.site = site;
    if (!book(ring, event))
        return false;
    ring->last_site = site;
    return true;
}

static COLD bool book_big(struct ring *ring, uint64_t at, uint64_t first)
{
    struct heap_event event;
    begin_event(&event, ring, first, HEAP_ALLOC);
    event.block.size = ring_word(ring, at + 2);
    event.block.slack = ring_word(ring, at + 3) - event.block.size; /* each is read once */
    if (event.block.size >= BYTES_LIMIT || event.block.slack >= BYTES_LIMIT)
        return ring_is_booked(ring, -EINVAL);
    return book_made(ring, &event, (uint32_t)ring_word(ring, at + 1));
}

static inline bool book_small(struct ring *ring, uint64_t first, uint64_t second,
                              enum heap_event_kind kind)
{
    struct heap_event event;
    begin_event(&event, ring, first, kind);
    event.block.size = second & (EVENT_SIZE_LIMIT - 1);
    uint64_t spare = second >> EVENT_SIZE_BITS & (EVENT_SPARE_LIMIT - 1);
    event.block.slack = 8 * ((event.block.size + 7) / 8 + spare) - event.block.size;
    return book_made(ring, &event, (uint32_t)(second >> EVENT_NODE_SHIFT));
}

/* These two are nearly all that is ever read.  Flat, each has the one way through ordering,
 * table and books that its kind of event takes, and no event in memory: a seventh of the
 * instructions less. */
__attribute__((flatten)) bool ring_heap_alloc(struct ring *ring, uint64_t at, uint64_t first)
{
    INVARIANT(at + 2 <= ring->limit);
    if (unlikely(at + 2 >= ring->limit))
        first = claim_alloc(ring, at, first);
    if (unlikely(event_type_of(first) == EVENT_ALLOC_BIG))
        return book_big(ring, at, first);
    uint64_t second = ring_word(ring, at + 1);
    return event_type_of(first) == EVENT_PAIR ? book_small(ring, first, second, HEAP_PAIR)
                                              : book_small(ring, first, second, HEAP_ALLOC);
}

__attribute__((flatten)) bool ring_heap_free(struct ring *ring, uint64_t first)
{
    INVARIANT(event_type_of(first) == EVENT_FREE || event_type_of(first) == EVENT_MOVE);
    struct heap_event event;
    begin_event(&event, ring, first, HEAP_FREE);
    event.freeing = (struct freeing){.address = event.block.address,
                                     .time_ns = event.block.time_ns,
                                     .temporary = (first & EVENT_TEMPORARY) != 0,
                                     .moving = ring->moving != 0,
                                     .ring = ring->index,
                                     .thread = ring->thread,
                                     .site = ring->last_site};
    return book(ring, &event);
}

void ring_heap_map(struct ring *ring, uint64_t at, uint64_t first)
{
    INVARIANT(at + event_words(EVENT_MAP) <= ring->limit);
    uint64_t const length = ring_word(ring, at + 2);
    if (length < BYTES_LIMIT)
        session_map(ring->session, event_address(first), length, (uint32_t)ring_word(ring, at + 1));
}

unsigned ring_heap_unmap(struct ring *ring, uint64_t at)
{
    unsigned words = event_words(EVENT_UNMAP);
    if (at + words >= ring->limit)
        return 0;
    uint64_t end = ring_word(ring, at + words);
    if (event_type_of(end) != EVENT_OUTCOME)
        return words;
    if ((end >> 4 & 1) == OUTCOME_DONE)
        session_unmap(ring->session, event_address(ring_word(ring, at)), ring_word(ring, at + 1));
    return words + event_words(EVENT_OUTCOME);
}

/* The beginning of a realloc.  Nearly always its end is there too; otherwise the block counts as
 * freed, for another thread may have it already, until the end says that it failed. */
unsigned ring_heap_move(struct ring *ring, uint64_t at, uint64_t first)
{
    unsigned words = event_words(EVENT_MOVE);
    INVARIANT(at + words <= ring->limit && event_type_of(first) == EVENT_MOVE);
    if (at + words < ring->limit) {
        uint64_t end = ring_word(ring, at + words);
        if (event_type_of(end) == EVENT_OUTCOME && (end >> 4 & 1) == OUTCOME_FAILED) {
            struct heap_event skip;
            begin_event(&skip, ring, first, HEAP_SKIP);
            return book(ring, &skip) ? words + event_words(EVENT_OUTCOME) : 0;
        }
    } else {
        ring->moving = event_address(first);
    }
    bool booked = ring_heap_free(ring, first);
    if (!booked || at + words < ring->limit)
        ring->moving = 0;
    return booked ? words : 0;
}

void ring_heap_outcome(struct ring *ring, uint64_t first)
{
    if ((first >> 4 & 1) == OUTCOME_FAILED && ring->moving) {
        struct heap_event restore;
        begin_event(&restore, ring, ring->moving << 16, HEAP_RESTORE);
        session_book(ring->session, &restore, true);
    }
    ring->moving = 0;
}
