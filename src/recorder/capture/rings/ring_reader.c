/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_reader.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/cold.h"
#include "base/invariant.h"
#include "capture/rings/lifeline.h"
#include "capture/rings/ring_guard.h"
#include "capture/rings/ring_heap.h"
#include "capture/rings/ring_told.h"
#include "wire/told.h"

/* In words: how far ahead of the reading tables are brought in. */
#define LOOK_AHEAD 48u
/* From so full a ring on, others empty rings beside the reading. */
#define SHARED_PERCENT 50u
/* After so long a round ends wherever it is: signals, clocks and files have their turn between rounds. */
#define ROUND_NS 500000000u

struct ring_reader {
    struct arena *arena;
    session_of_fn session_of;
    void *context;
    const struct tick_clock *clock;
    struct ring rings[ARENA_SLOTS];
    struct ring *active[ARENA_SLOTS]; /* have something to read in this round */
    struct ring *blocked[ARENA_SLOTS];
    uint32_t blocked_count;
    uint64_t words;           /* read so far */
    uint64_t timed_words;     /* of them, when the clock was last looked at */
    bool draining, read_any;  /* read_any: in the last round */
    uint64_t round_tsc;       /* what was written before this can be read in this round */
    uint64_t round_ns;        /* after which it ends */
    uint64_t round_end_ns;    /* on the monotonic clock */
    bool stopped;             /* the rest waits for the next one: it took long */
    bool at_mark, mark_waits; /* for the next round */
    struct ring_guard *guard;
    _Atomic uint64_t progress; /* as in the arena, but nobody else can write it */
    _Atomic uint64_t rounds;   /* also those that found nothing */
    bool is_late;              /* rings fill faster than they are read */
    bool never_waits; /* the program is not to wait: rings are emptied beside the reading, too */
};

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
    /* Whoever comes back lives: many sessions, each of which takes a while, are no reason to be ended. */
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
        marks->heads[i] = atomic_load(&arena_slot_at(reader->arena->memory, i)->head);
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

/* How long an event waits for one of another ring: on a busy machine its writer may be put aside by the scheduler between
 * counting and writing, for long. */
#define PATIENCE_NS 1000000000ull

/* False when it must wait for what its parent did before it forked. */
static bool take_inheritance(struct ring_reader *reader, struct ring *ring, struct session *session,
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
    if (session && session_waits_for_parent(session) &&
        !take_inheritance(reader, ring, session, now_ns))
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

/* Whether it happened when this round had begun to take stock: what came before it, in a ring that was looked at
 * earlier, may not be in this round.  Stamps of the future were scribbled over, and are not waited for. */
static bool is_of_next_round(const struct ring_reader *reader, uint64_t tsc)
{
    return unlikely(tsc > reader->round_tsc) && tsc <= __builtin_ia32_rdtsc();
}

/* False when what follows must wait. */
static bool see_time(struct ring_reader *reader, struct ring *ring, uint64_t first)
{
    uint64_t const tsc = first >> 4;
    if (is_of_next_round(reader, tsc)) {
        ring->ahead = 0; /* of no other ring in particular */
        reader->mark_waits |= atomic_load(&reader->arena->header->clock) == tsc;
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

static void read_ring(struct ring_reader *reader, struct ring *ring, uint64_t until_tsc);

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
            read_ring(reader, ring, until_tsc);
            more |= ring->tail != from;
        }
    }
}

/* A mark comes after all that any thread did before it.  Rings are read by time, and this one is the earliest, so all
 * others are past it, but for those that wait for others.  False when the mark must wait for the next round. */
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
    atomic_compare_exchange_strong(&reader->arena->header->clock, &tsc, 0);
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

/* No record is published in parts: somebody wrote over the ring; what is in it has no meaning.  Its words. */
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

/* Threads that wait for room see that it is worth to wait. */
static void tell_waiting(struct ring_reader *reader)
{
    atomic_fetch_add_explicit(&reader->arena->header->progress, 1, memory_order_relaxed);
}

static void note_progress(struct ring_reader *reader)
{
    tell_waiting(reader);
    atomic_fetch_add_explicit(&reader->progress, 1, memory_order_relaxed);
}

/* Ends the round then. */
static bool takes_too_long(struct ring_reader *reader)
{
    reader->stopped = reader->stopped || monotonic_ns() >= reader->round_end_ns;
    return reader->stopped;
}

/* Reads on until the ring's time passes `until_tsc`, or its round ends. */
static void read_ring(struct ring_reader *reader, struct ring *ring, uint64_t until_tsc)
{
    uint64_t const from = ring->tail;
    uint64_t given = from;
    ring_hold(ring);
    while (ring->tail < ring->limit && ring->tsc <= until_tsc) {
        if (unlikely(ring->tail - given > RING_WORDS / 16)) {
            given = ring->tail;
            ring_give_room(ring);
            note_progress(reader);
            if (takes_too_long(reader))
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
        takes_too_long(reader);
    }
}

/* Takes stock of one ring: how many words wait in it. */
static uint64_t begin_ring(struct ring_reader *reader, struct ring *ring, uint32_t index)
{
    ring_hold(ring);
    ring->slot = arena_slot_at(reader->arena->memory, index);
    ring->words = arena_slot_ring(ring->slot);
    ring->limit = atomic_load_explicit(&ring->slot->head, memory_order_acquire);
    ring->blocked = false;
    uint64_t unread = ring->limit - ring_taken(ring);
    if (unread > RING_WORDS) { /* a head that cannot be */
        ring->limit = ring_taken(ring);
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

/* What a blocked ring waited for may have been read meanwhile.  False when none got any further.  `others`: only those that wait
 * for other rings. */
static bool try_blocked(struct ring_reader *reader, uint32_t *count, bool others)
{
    uint32_t still = 0;
    for (uint32_t i = 0; i < reader->blocked_count; i++) {
        struct ring *ring = reader->blocked[i];
        uint64_t from = ring->tail;
        if (!others || ring->ahead > 0) {
            ring->blocked = false;
            read_ring(reader, ring, ring->tsc);
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

/* Rings that wait for others go on waiting, in memory if need be.  When the longest wait is over, the event
 * that is least ahead is booked in the next round. */
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
    reader->round_tsc = __builtin_ia32_rdtsc();
    reader->round_end_ns = monotonic_ns() + reader->round_ns;
    uint32_t count = begin_round(reader, &fullest);
    tell_waiting(reader);
    reader->read_any = count > 0;
    reader->blocked_count = 0;
    do {
        for (struct ring *ring; !reader->stopped && (ring = earliest(reader, &count, &until));) {
            read_ring(reader, ring, until);
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

/* Nothing read in so many rounds: a ring waits for what will never come, in a way that nobody thought of. */
#define ROUNDS_IN_VAIN (2 * ARENA_SLOTS)
#define DRAIN_NS       30000000000u /* ages: rings are small; more is a program that plays with us */

bool ring_reader_drain(struct ring_reader *reader, const struct tick_clock *clock)
{
    struct ring_marks *marks = malloc(sizeof(*marks));
    unsigned in_vain = 0;
    bool past = false;
    reader->draining = true;
    if (marks)
        ring_reader_mark(reader, marks); /* what is written after this is not waited for */
    uint64_t const until_ns = monotonic_ns() + DRAIN_NS;
    while (!past && in_vain < ROUNDS_IN_VAIN && monotonic_ns() < until_ns &&
           !lifeline_is_in_hurry()) {
        uint64_t const before = reader->words;
        ring_reader_round(reader, clock);
        in_vain = reader->words == before ? in_vain + 1 : 0;
        past = !reader->read_any || (marks && ring_reader_is_past(reader, marks));
    }
    reader->draining = false;
    free(marks);
    return past || in_vain >= ROUNDS_IN_VAIN; /* what cannot be read was cut off */
}

void ring_reader_set_priority(struct ring_reader *reader, const struct priority *priority)
{
    priority_take(priority);
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
