/* SPDX-License-Identifier: Apache-2.0 */
/* ring_records.c - reads a ring, record by record: which thread wrote it and when, what to do with
 * it, or that it must wait for another ring. */
#include "base/clock.h"
#include "base/cold.h"
#include "base/invariant.h"
#include "capture/rings/ring_heap.h"
#include "capture/rings/ring_reader_parts.h"
#include "capture/rings/ring_told.h"
#include "machine/processor.h"
#include "wire/told.h"

/* In words: how far ahead of the reading tables are brought in. */
#define LOOK_AHEAD 48u

/* False when it must wait for what its parent did before it forked. */
static bool inherit(struct ring_reader *reader, struct ring *ring, struct session *session,
                    uint64_t now_ns)
{
    uint32_t const process = session_parent(session);
    /* Where children are not followed there is one session, which another one would end. */
    bool const has_parent = process != PROCESS_NONE && reader->arena->follows_children;
    struct session *parent =
        has_parent ? reader->session_of(reader->context, process, now_ns) : NULL;
    ring->ahead = parent && !session_has_forked(parent, session);
    if (ring->ahead && !ring->hurry)
        return false;
    ring->ahead = 0;
    session_inherit(session, parent);
    return true;
}

/* False when it must wait. */
static COLD bool see_thread(struct ring_reader *reader, struct ring *ring, uint64_t at,
                            uint64_t first)
{
    uint32_t tid = (uint32_t)(first >> 32), process = (uint32_t)(first >> 16 & 0xffff);
    uint64_t const tsc = ring_word(ring, at + 1), now_ns = tick_clock_ns(reader->clock, tsc);
    struct session *session = reader->session_of(reader->context, process, now_ns);
    if (session && session_waits_for_parent(session) && !inherit(reader, ring, session, now_ns))
        return false;
    if (session && session != ring->session)
        session_note_ring(session);
    ring->tsc = tsc;
    ring->time_ns = now_ns;
    ring->session = session;
    ring->is_large = false; /* until the next round */
    ring->last_site = 0;
    ring->rate = RATE_FULL;
    ring->hurry = false;
    ring->held_since_ns = 0;
    if (!ring->session)
        return true;
    ring->thread = session_thread(ring->session, tid, ring->time_ns);
    ring->block_ns = session_time(ring->session, ring->time_ns);
    return true;
}

/* Whether it happened when this round had begun to take stock: what came before it, in a ring
 * that was looked at earlier, may not be in this round.  Stamps of the future were scribbled
 * over, and are not waited for. */
static bool is_of_next_round(const struct ring_reader *reader, uint64_t tsc)
{
    return unlikely(tsc > reader->round_tsc) && tsc <= processor_ticks_in_order();
}

/* False when what follows must wait. */
static bool see_time(struct ring_reader *reader, struct ring *ring, uint64_t first)
{
    uint64_t const tsc = first >> 4;
    if (is_of_next_round(reader, tsc)) {
        ring->ahead = 0; /* of no other ring in particular */
        reader->mark_waits |= shared_get(reader->arena->memory, clock) == tsc;
        return false;
    }
    uint64_t const now_ns = tick_clock_ns(reader->clock, tsc);
    ring->tsc = tsc > ring->tsc ? tsc : ring->tsc;
    if (now_ns <= ring->time_ns)
        return true;
    ring->time_ns = now_ns;
    if (ring->session)
        ring->block_ns = session_time(ring->session, now_ns);
    return true;
}

/* Reads on in rings that had to wait for others, up to a time. */
static void catch_up(struct ring_reader *reader, uint64_t until_tsc)
{
    uint32_t high = arena_slot_high(reader->arena);
    for (bool more = true; more && !reader->stopped;) {
        more = false;
        for (uint32_t i = 0; i < high; i++) {
            struct ring *ring = &reader->rings[i];
            uint64_t from = ring->tail;
            if (!ring->blocked || ring->tsc > until_tsc)
                continue;
            ring->blocked = false;
            ring_read(reader, ring, until_tsc);
            more |= ring->tail != from;
        }
    }
}

/* A mark comes after all that any thread did before it.  Rings are read by time, and this one is
 * the earliest, so all others are past it, but for those that wait for others.  False when the
 * mark must wait for the next round. */
static bool reach_mark(struct ring_reader *reader, struct ring *ring, uint64_t tsc)
{
    if (reader->at_mark)
        return false;
    reader->at_mark = true;
    INVARIANT(!ring->blocked); /* catch_up would read on in it */
    catch_up(reader, ring->tsc);
    reader->at_mark = false;
    if (reader->stopped) /* before they had all caught up */
        return false;
    /* All have seen it, or will stamp their next event anyway. */
    shared_replace(reader->arena->memory, clock, &tsc, 0);
    return true;
}

/* What the program tells through memoir.h.  Its words, 0 when it must wait. */
static COLD unsigned see_told(struct ring_reader *reader, struct ring *ring, uint64_t at,
                              uint64_t first)
{
    unsigned words = event_length(first);
    if (told_kind_of(first) == TOLD_MARK && words >= told_fixed_words(TOLD_MARK) &&
        !reach_mark(reader, ring, ring_word(ring, at + 1)))
        return 0;
    if (!ring->session) /* it went while others caught up */
        return words;
    return ring_is_booked(ring, ring_told_see(ring, at, first)) ? words : 0;
}

static void see_rate(struct ring *ring, uint64_t rate)
{
    bool const is_thinned = (rate & EVENT_RATE_THINNED) != 0;
    ring->rate = rate & ~EVENT_RATE_THINNED;
    if (is_thinned)
        session_thinned(ring->session, ring->rate);
    else
        session_rate(ring->session, ring->rate, ring->time_ns);
}

static void see_gap(struct ring_reader *reader, struct ring *ring, uint64_t at)
{
    struct session_gap const gap = {.events = ring_word(ring, at + 1),
                                    .calls = ring_word(ring, at + 2),
                                    .bytes = ring_word(ring, at + 3),
                                    .frees = ring_word(ring, at + 4),
                                    .begin_ns =
                                        tick_clock_ns(reader->clock, ring_word(ring, at + 5)),
                                    .end_ns = ring->time_ns};
    session_gap(ring->session, &gap);
}

/* One of the records that are few.  Its words, 0 when it must wait. */
static COLD unsigned see_other(struct ring_reader *reader, struct ring *ring, uint64_t at,
                               uint64_t first)
{
    unsigned words = event_length(first);
    switch (event_type_of(first)) {
    case EVENT_OUTCOME:
        ring_heap_outcome(ring, first);
        return words;
    case EVENT_UNMAP: {
        unsigned both = ring_heap_unmap(ring, at);
        return both || !reader->draining ? both : words;
    }
    case EVENT_MAP:
        ring_heap_map(ring, at, first);
        return words;
    case EVENT_TOLD:
        return see_told(reader, ring, at, first);
    case EVENT_FORK:
        if (!reach_mark(reader, ring, ring_word(ring, at + 1)))
            return 0;
        if (ring->session) /* it may have gone while others caught up */
            session_fork(ring->session, (uint32_t)(first >> 4), ring->time_ns);
        return words;
    case EVENT_RATE:
        see_rate(ring, first >> 4);
        return words;
    case EVENT_GAP:
        see_gap(reader, ring, at);
        return words;
    default:
        return words;
    }
}

/* No record is published in parts: somebody wrote over the ring; what is in it has no meaning.
 * Its words. */
static COLD unsigned skip_scribble(struct ring *ring, uint64_t at)
{
    if (ring->session)
        session_lost(ring->session, 1);
    return (unsigned)(ring->limit - at);
}

/* One record at the tail.  Its words, 0 when it must wait. */
static inline unsigned see_record(struct ring_reader *reader, struct ring *ring, uint64_t at)
{
    INVARIANT(at < ring->limit);
    uint64_t first = ring_word(ring, at);
    enum event_type type = event_type_of(first);
    unsigned words = event_length(first);
    if (unlikely(words == 0 || words > ring->limit - at))
        return skip_scribble(ring, at);
    if (unlikely(type == EVENT_THREAD))
        return see_thread(reader, ring, at, first) ? words : 0;
    if (unlikely(type == EVENT_TIME))
        return see_time(reader, ring, first) ? words : 0;
    if (unlikely(!ring->session))
        return words;
    switch (type) {
    case EVENT_ALLOC:
    case EVENT_ALLOC_BIG:
    case EVENT_PAIR:
        return ring_heap_alloc(ring, at, first) ? words : 0;
    case EVENT_FREE:
        return ring_heap_free(ring, first) ? words : 0;
    case EVENT_MOVE:
        return ring_heap_move(ring, at, first);
    default:
        return see_other(reader, ring, at, first);
    }
}

/* Keeps a second, faster cursor some records ahead. */
static inline void look_ahead(struct ring *ring)
{
    if (ring->peek < ring->tail)
        ring->peek = ring->tail;
    INVARIANT(ring->peek >= ring->tail);
    while (ring->peek < ring->limit && ring->peek - ring->tail < LOOK_AHEAD) {
        uint64_t first = ring_word(ring, ring->peek);
        enum event_type type = event_type_of(first);
        if (type >= EVENT_ALLOC && type <= EVENT_MOVE && type != EVENT_PAIR)
            session_prefetch(ring->session, event_address(first));
        unsigned words = event_length(first);
        ring->peek += words ? words : 1;
    }
}

static void note_progress(struct ring_reader *reader)
{
    ring_reader_tell_waiting(reader);
    atomic_fetch_add_explicit(&reader->progress, 1, memory_order_relaxed);
}

/* Ends the round then. */
static bool stop_if_late(struct ring_reader *reader)
{
    reader->stopped = reader->stopped || monotonic_ns() >= reader->round_end_ns;
    return reader->stopped;
}

void ring_read(struct ring_reader *reader, struct ring *ring, uint64_t until_tsc)
{
    uint64_t const from = ring->tail;
    uint64_t given = from;
    ring_hold(ring);
    while (ring->tail < ring->limit && ring->tsc <= until_tsc) {
        if (unlikely(ring->tail - given > RING_WORDS / 16)) {
            given = ring->tail;
            ring_give_room(ring);
            note_progress(reader);
            if (stop_if_late(reader))
                break;
        }
        if (ring->is_large)
            look_ahead(ring);
        unsigned words = see_record(reader, ring, ring->tail);
        if (unlikely(words == 0)) {
            ring->blocked = true;
            break;
        }
        ring->tail += words;
        INVARIANT(ring->tail <= ring->limit);
    }
    if (ring->tail != from) {
        ring_give_room(ring);
        note_progress(reader);
    }
    ring_let_go(ring);
    reader->words += ring->tail - from;
    if (unlikely(reader->words - reader->timed_words > RING_WORDS / 16)) {
        reader->timed_words = reader->words;
        stop_if_late(reader);
    }
}
