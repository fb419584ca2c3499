/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_guard.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/invariant.h"
#include "machine/processor.h"

#define SPILL_MAX   (128ull << 20) /* bytes, all rings together */
#define FIRST_ROOM  (2u * RING_WORDS)
#define NAP_NS      1000000l
#define HELPERS_MAX 4u

struct helper {
    struct ring_guard *guard;
    unsigned number; /* it has every helper_count-th ring, from this one on */
    pthread_t thread;
};

struct ring_guard {
    struct arena *arena;
    struct ring *rings;
    struct helper helpers[HELPERS_MAX];
    unsigned helper_count;
    _Atomic uint32_t work; /* futex: enum ring_guard_work */
    atomic_bool stop;
    _Atomic uint64_t spilt_bytes;
    pthread_mutex_t lock; /* of what follows */
    struct priority priority;
    _Atomic uint32_t priorities; /* that were set so far */
};

static bool reserve(struct ring_guard *guard, struct ring *ring, uint64_t words)
{
    INVARIANT(words <= RING_WORDS && ring->spill_from <= ring->spill_to);
    uint64_t used = ring->spill_to - ring->spill_from;
    if (used + words <= ring->spill_room)
        return true;
    uint64_t room = ring->spill_room ? ring->spill_room : FIRST_ROOM;
    while (room < used + words)
        room *= 2;
    uint64_t more = (room - ring->spill_room) * sizeof(uint64_t);
    if (atomic_fetch_add(&guard->spilt_bytes, more) + more > SPILL_MAX) {
        atomic_fetch_sub(&guard->spilt_bytes, more);
        return false;
    }
    uint64_t *grown = reallocarray(ring->spill, room, sizeof(uint64_t));
    if (!grown) {
        atomic_fetch_sub(&guard->spilt_bytes, more);
        return false;
    }
    ring->spill = grown;
    ring->spill_room = room;
    INVARIANT(used + words <= room && atomic_load(&guard->spilt_bytes) <= SPILL_MAX);
    return true;
}

bool ring_guard_spill(struct ring_guard *guard, struct ring *ring)
{
    INVARIANT(ring_is_valid(ring));
    uint64_t from = ring_consumed(ring);
    uint64_t head = shared_get(ring->slot, head);
    if (head - from > RING_WORDS || head - from < RING_WORDS / 4)
        return false;
    head -= 2; /* the last record, an ALLOC of two words, may still change */
    if (ring->spill_to <= ring->tail)
        ring->spill_from = ring->spill_to = ring->tail;
    if (!reserve(guard, ring, head - from))
        return false;
    INVARIANT(ring->spill_from <= from && head - ring->spill_from <= ring->spill_room);
    for (uint64_t at = from; at < head; at++)
        ring->spill[at - ring->spill_from] = shared_word(ring->words, at);
    ring->spill_to = head;
    INVARIANT(ring_consumed(ring) == head); /* the spilt words come before those in the ring */
    ring_give_room(ring);
    return true;
}

void ring_guard_trim(struct ring_guard *guard, struct ring *ring)
{
    if (ring->spill_room == 0 || ring->spill_to > ring->tail ||
        atomic_load_explicit(&guard->spilt_bytes, memory_order_relaxed) < SPILL_MAX / 2)
        return;
    INVARIANT(atomic_load(&guard->spilt_bytes) >= ring->spill_room * sizeof(uint64_t));
    atomic_fetch_sub(&guard->spilt_bytes, ring->spill_room * sizeof(uint64_t));
    free(ring->spill);
    ring->spill = NULL;
    ring->spill_room = ring->spill_from = ring->spill_to = 0;
}

/* Empties the helper's rings; those that are being read are emptied that way. */
static void spill_own(const struct helper *helper)
{
    struct ring_guard *guard = helper->guard;
    uint32_t high = arena_slot_high(guard->arena);
    INVARIANT(high <= ARENA_SLOTS && helper->number < HELPERS_MAX);
    for (uint32_t i = helper->number; i < high; i += guard->helper_count) {
        struct ring *ring = &guard->rings[i];
        if (!ring_try_hold(ring))
            continue;
        ring->slot = shared_slot_at(guard->arena->memory, i);
        ring->words = shared_ring_of(ring->slot);
        if (ring_guard_spill(guard, ring))
            shared_add(guard->arena->memory, progress, 1);
        ring_let_go(ring);
    }
}

/* The clock word, if it is kept at all. */
static void beat(struct shared_arena *arena)
{
    if (shared_get(arena, clock))
        shared_set(arena, clock, processor_ticks());
}

static void apply_priority(struct ring_guard *guard, uint32_t *seen)
{
    if (*seen == atomic_load(&guard->priorities))
        return;
    pthread_mutex_lock(&guard->lock);
    *seen = atomic_load(&guard->priorities);
    priority_apply(&guard->priority);
    pthread_mutex_unlock(&guard->lock);
}

void ring_guard_set_priority(struct ring_guard *guard, const struct priority *priority)
{
    pthread_mutex_lock(&guard->lock);
    guard->priority = *priority;
    atomic_fetch_add(&guard->priorities, 1);
    pthread_mutex_unlock(&guard->lock);
}

static void *help(void *context)
{
    const struct helper *helper = context;
    struct ring_guard *guard = helper->guard;
    struct timespec nap = {0, NAP_NS};
    uint32_t priorities = 0;
    while (!atomic_load(&guard->stop)) {
        apply_priority(guard, &priorities);
        if (atomic_load(&guard->work) == RINGS_ARE_READ) {
            syscall(SYS_futex, &guard->work, FUTEX_WAIT, RINGS_ARE_READ, NULL, NULL, 0);
            continue;
        }
        nanosleep(&nap, NULL); /* most work of the reader is shorter than this */
        uint32_t const work = atomic_load(&guard->work);
        if (work == RINGS_ARE_LEFT)
            beat(guard->arena->memory);
        if (work != RINGS_ARE_READ)
            spill_own(helper);
    }
    return NULL;
}

static bool start_helper(struct ring_guard *guard)
{
    INVARIANT(guard->helper_count < HELPERS_MAX);
    sigset_t all, before;
    struct helper *helper = &guard->helpers[guard->helper_count];
    *helper = (struct helper){.guard = guard, .number = guard->helper_count};
    sigfillset(&all); /* the recorder's own thread is to be woken by signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int const err = pthread_create(&helper->thread, NULL, help, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    guard->helper_count += err == 0;
    return err == 0;
}

struct ring_guard *ring_guard_create(struct arena *arena, struct ring *rings)
{
    struct ring_guard *guard = calloc(1, sizeof(*guard));
    long const processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (!guard)
        return NULL;
    guard->arena = arena;
    guard->rings = rings;
    pthread_mutex_init(&guard->lock, NULL);
    while (guard->helper_count < HELPERS_MAX && (long)guard->helper_count < processors &&
           start_helper(guard))
        ;
    if (guard->helper_count == 0) {
        free(guard);
        return NULL;
    }
    return guard;
}

void ring_guard_destroy(struct ring_guard *guard)
{
    if (!guard)
        return;
    atomic_store(&guard->stop, true);
    ring_guard_set(guard, RINGS_ARE_LEFT);
    for (unsigned i = 0; i < guard->helper_count; i++)
        pthread_join(guard->helpers[i].thread, NULL);
    pthread_mutex_destroy(&guard->lock);
    for (uint32_t i = 0; i < ARENA_SLOTS; i++)
        free(guard->rings[i].spill);
    free(guard);
}

void ring_guard_set(struct ring_guard *guard, enum ring_guard_work work)
{
    INVARIANT(work == RINGS_ARE_READ || work == RINGS_ARE_LEFT || work == RINGS_ARE_SHARED);
    uint32_t const before = atomic_exchange(&guard->work, work);
    if (before == RINGS_ARE_READ && work != RINGS_ARE_READ)
        syscall(SYS_futex, &guard->work, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
