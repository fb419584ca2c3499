/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_reader.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/cold.h"
#include "base/invariant.h"
#include "capture/rings/lifeline.h"
#include "capture/rings/ring_guard.h"
#include "capture/rings/ring_reader_parts.h"
#include "machine/processor.h"

/* From so full a ring on, others empty rings beside the reading. */
#define SHARED_PERCENT 50u
/* A round ends after so long: signals, clocks and files have their turn between rounds. */
#define ROUND_NS 500000000u

struct ring_reader *ring_reader_create(struct arena *arena, session_of_fn session_of, void *context)
{
    struct ring_reader *reader = calloc(1, sizeof(*reader));
    if (!reader)
        return NULL;
    reader->arena = arena;
    reader->session_of = session_of;
    reader->context = context;
    reader->round_ns = ROUND_NS;
    for (uint32_t i = 0; i < ARENA_SLOTS; i++)
        reader->rings[i].index = i;
    reader->guard = ring_guard_create(arena, reader->rings);
    if (!reader->guard) {
        free(reader);
        return NULL;
    }
    return reader;
}

void ring_reader_destroy(struct ring_reader *reader)
{
    if (!reader)
        return;
    ring_guard_destroy(reader->guard);
    free(reader);
}

uint64_t ring_reader_words(const struct ring_reader *reader)
{
    return reader->words;
}

void ring_reader_leave(struct ring_reader *reader)
{
    ring_guard_set(reader->guard, RINGS_ARE_LEFT);
}

void ring_reader_return(struct ring_reader *reader)
{
    /* Whoever comes back lives: many sessions, each of which takes a while, are no reason to be
     * ended. */
    atomic_fetch_add_explicit(&reader->rounds, 1, memory_order_relaxed);
    ring_guard_set(reader->guard, reader->is_late ? RINGS_ARE_SHARED : RINGS_ARE_READ);
}

void ring_reader_forget(struct ring_reader *reader, const struct session *session)
{
    for (uint32_t i = 0; i < ARENA_SLOTS; i++) {
        if (reader->rings[i].session == session) {
            reader->rings[i].session = NULL;
            reader->rings[i].is_large = false;
        }
    }
}

void ring_reader_mark(const struct ring_reader *reader, struct ring_marks *marks)
{
    marks->count = arena_slot_high(reader->arena);
    for (uint32_t i = 0; i < marks->count; i++)
        marks->heads[i] = shared_get(shared_slot_at(reader->arena->memory, i), head);
}

bool ring_reader_is_past(struct ring_reader *reader, const struct ring_marks *marks)
{
    INVARIANT(marks->count <= ARENA_SLOTS);
    bool past = true;
    for (uint32_t i = 0; i < marks->count && past; i++) {
        struct ring *ring = &reader->rings[i];
        ring_hold(ring);
        past = ring_is_past(ring, marks->heads[i]);
        ring_let_go(ring);
    }
    return past;
}

/* Takes stock of one ring: how many words wait in it. */
static uint64_t begin_ring(struct ring_reader *reader, struct ring *ring, uint32_t index)
{
    ring_hold(ring);
    ring->slot = shared_slot_at(reader->arena->memory, index);
    ring->words = shared_ring_of(ring->slot);
    ring->limit = shared_get(ring->slot, head);
    ring->blocked = false;
    uint64_t unread = ring->limit - ring_consumed(ring);
    if (unread > RING_WORDS) { /* a head that cannot be */
        ring->limit = ring_consumed(ring);
        unread = 0;
    }
    ring_guard_trim(reader->guard, ring);
    INVARIANT(ring->tail <= ring->limit && unread <= RING_WORDS);
    ring_let_go(ring);
    return unread;
}

/* Takes stock of every ring; how many have something new. */
static uint32_t begin_round(struct ring_reader *reader, unsigned *fullest)
{
    uint32_t high = arena_slot_high(reader->arena), count = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < high; i++) {
        struct ring *ring = &reader->rings[i];
        uint64_t const unread = begin_ring(reader, ring, i);
        if (unread > most)
            most = unread;
        if (ring->limit <= ring->tail)
            continue;
        ring->is_large = ring->session && session_is_large(ring->session);
        reader->active[count++] = ring;
    }
    *fullest = (unsigned)(most * 100 / RING_WORDS);
    INVARIANT(*fullest <= 100 && count <= high);
    return count;
}

/* The earliest ring, and the time of the next one after it. */
static struct ring *earliest(struct ring_reader *reader, uint32_t *count, uint64_t *until_tsc)
{
    struct ring *first = NULL;
    *until_tsc = UINT64_MAX;
    for (uint32_t i = 0; i < *count;) {
        struct ring *ring = reader->active[i];
        if (ring->tail == ring->limit || ring->blocked) {
            if (ring->blocked)
                reader->blocked[reader->blocked_count++] = ring;
            reader->active[i] = reader->active[--*count];
            continue;
        }
        if (!first || ring->tsc < first->tsc) {
            if (first)
                *until_tsc = first->tsc;
            first = ring;
        } else if (ring->tsc < *until_tsc) {
            *until_tsc = ring->tsc;
        }
        i++;
    }
    INVARIANT(!first || first->tsc <= *until_tsc);
    return first;
}

/* Up to when a ring may be read.  While rings wait for events of others, one time stamp further
 * at a time: as soon as such an event is read, what is held has its turn by time again. */
static uint64_t next_stop(const struct ring_reader *reader, const struct ring *ring,
                          uint64_t until_tsc)
{
    uint64_t stop = UINT64_MAX;
    for (uint32_t i = 0; i < reader->blocked_count; i++) {
        const struct ring *held = reader->blocked[i];
        if (held->ahead > 0 && held->tsc < stop)
            stop = held->tsc;
    }
    if (stop < ring->tsc)
        stop = ring->tsc;
    return stop < until_tsc ? stop : until_tsc;
}

/* What a blocked ring waited for may have been read meanwhile.  False when none got any further.
 * `others`: only those that wait for other rings. */
static bool try_blocked(struct ring_reader *reader, uint32_t *count, bool others)
{
    uint32_t still = 0;
    for (uint32_t i = 0; i < reader->blocked_count; i++) {
        struct ring *ring = reader->blocked[i];
        uint64_t from = ring->tail;
        if (!others || ring->ahead > 0) {
            ring->blocked = false;
            ring_read(reader, ring, ring->tsc);
        }
        if (ring->tail == from)
            reader->blocked[still++] = ring;
        else
            reader->active[(*count)++] = ring;
    }
    reader->blocked_count = still;
    INVARIANT(*count + still <= ARENA_SLOTS); /* a ring is in one of the lists */
    return *count > 0;
}

/* How long an event waits for one of another ring: on a busy machine its writer may be put aside
 * by the scheduler between counting and writing, for long. */
#define PATIENCE_NS NS_PER_SECOND

/* Rings that wait for others go on waiting, in memory if need be.  When the longest wait is
 * over, the event that is least ahead is booked in the next round. */
static void attend_held(struct ring_reader *reader, uint64_t now_ns)
{
    struct ring *next = NULL;
    bool too_long = false;
    for (uint32_t i = 0; i < reader->blocked_count; i++) {
        struct ring *ring = reader->blocked[i];
        INVARIANT(ring->ahead >= 0);
        if (ring->ahead == 0)
            continue;
        if (ring->held_since_ns == 0)
            ring->held_since_ns = now_ns;
        too_long |= reader->draining || now_ns - ring->held_since_ns > PATIENCE_NS;
        if (!next || ring->ahead < next->ahead)
            next = ring;
        ring_hold(ring);
        ring_guard_spill(reader->guard, ring);
        ring_let_go(ring);
    }
    if (next && too_long)
        next->hurry = true;
}

unsigned ring_reader_round(struct ring_reader *reader, const struct tick_clock *clock)
{
    uint64_t until;
    unsigned fullest;
    reader->clock = clock;
    reader->stopped = reader->mark_waits = false;
    reader->round_tsc = processor_ticks_in_order();
    reader->round_end_ns = monotonic_ns() + reader->round_ns;
    uint32_t count = begin_round(reader, &fullest);
    ring_reader_tell_waiting(reader);
    reader->read_any = count > 0;
    reader->blocked_count = 0;
    do {
        for (struct ring *ring; !reader->stopped && (ring = earliest(reader, &count, &until));) {
            if (unlikely(reader->blocked_count > 0))
                until = next_stop(reader, ring, until);
            ring_read(reader, ring, until);
            if (unlikely(reader->blocked_count > 0)) /* at once: what they hold is older */
                try_blocked(reader, &count, true);
        }
    } while (!reader->stopped && try_blocked(reader, &count, false));
    INVARIANT(!reader->at_mark && reader->blocked_count <= ARENA_SLOTS);
    attend_held(reader, tick_clock_ns(clock, clock->anchor_tsc));
    reader->is_late = reader->never_waits && fullest >= SHARED_PERCENT;
    ring_reader_return(reader);
    return reader->stopped || reader->mark_waits ? 100 : fullest; /* no rest now */
}

/* Nothing read in so many rounds for each ring: one waits for what will never come. */
#define ROUNDS_IN_VAIN 2u
#define ROUNDS_LEAST   64u
/* ages: rings are small; more is a program that plays with us */
#define DRAIN_NS 30000000000u

bool ring_reader_drain(struct ring_reader *reader, const struct tick_clock *clock)
{
    struct ring_marks *marks = malloc(sizeof(*marks));
    unsigned const in_vain_most = ROUNDS_LEAST + ROUNDS_IN_VAIN * arena_slot_high(reader->arena);
    unsigned in_vain = 0;
    bool past = false;
    reader->draining = true;
    if (marks)
        ring_reader_mark(reader, marks); /* what is written after this is not waited for */
    uint64_t const until_ns = monotonic_ns() + DRAIN_NS;
    while (!past && in_vain < in_vain_most && monotonic_ns() < until_ns &&
           !lifeline_is_in_hurry()) {
        uint64_t const before = reader->words;
        ring_reader_round(reader, clock);
        in_vain = reader->words == before ? in_vain + 1 : 0;
        past = !reader->read_any || (marks && ring_reader_is_past(reader, marks));
    }
    reader->draining = false;
    free(marks);
    return past || in_vain >= in_vain_most; /* what cannot be read was cut off */
}

void ring_reader_set_priority(struct ring_reader *reader, const struct priority *priority)
{
    priority_apply(priority);
    ring_guard_set_priority(reader->guard, priority);
}

const _Atomic uint64_t *ring_reader_progress(const struct ring_reader *reader)
{
    return &reader->progress;
}

const _Atomic uint64_t *ring_reader_rounds(const struct ring_reader *reader)
{
    return &reader->rounds;
}

void ring_reader_limit_rounds(struct ring_reader *reader, uint64_t round_ns)
{
    reader->round_ns = round_ns;
}

void ring_reader_never_wait(struct ring_reader *reader)
{
    reader->never_waits = true;
}
