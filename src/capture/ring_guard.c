/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ring_guard.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SPILL_MAX  (128ull << 20) /* bytes, all rings together */
#define FIRST_ROOM (2u * RING_WORDS)
#define NAP_NS     1000000l

struct ring_guard {
    struct arena *arena;
    struct ring *rings;
    pthread_t thread;
    pthread_mutex_t lock; /* held by whose turn it is with the rings */
    pthread_cond_t changed;
    bool on, stop;
    uint64_t spilt_bytes;
};

void ring_give_room(struct ring *ring)
{
    atomic_store_explicit(&ring->slot->tail, ring_taken(ring), memory_order_release);
    if (atomic_load(&ring->slot->waiting) && atomic_exchange(&ring->slot->waiting, 0))
        syscall(SYS_futex, &ring->slot->waiting, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static bool reserve(struct ring_guard *guard, struct ring *ring, uint64_t words)
{
    uint64_t used = ring->spill_to - ring->spill_from;
    if (used + words <= ring->spill_room)
        return true;
    uint64_t room = ring->spill_room ? ring->spill_room : FIRST_ROOM;
    while (room < used + words)
        room *= 2;
    uint64_t more = (room - ring->spill_room) * sizeof(uint64_t);
    if (guard->spilt_bytes + more > SPILL_MAX)
        return false;
    uint64_t *grown = reallocarray(ring->spill, room, sizeof(uint64_t));
    if (!grown)
        return false;
    guard->spilt_bytes += more;
    ring->spill = grown;
    ring->spill_room = room;
    return true;
}

void ring_guard_spill(struct ring_guard *guard, struct ring *ring)
{
    uint64_t from = ring_taken(ring);
    uint64_t head = atomic_load_explicit(&ring->slot->head, memory_order_acquire);
    if (head - from > RING_WORDS || head - from < RING_WORDS / 4)
        return;
    head -= 2; /* the last record, an ALLOC of two words, may still change */
    if (ring->spill_to <= ring->tail)
        ring->spill_from = ring->spill_to = ring->tail;
    if (!reserve(guard, ring, head - from))
        return;
    for (uint64_t at = from; at < head; at++)
        ring->spill[at - ring->spill_from] = ring->words[at % RING_WORDS];
    ring->spill_to = head;
    ring_give_room(ring);
}

static void spill_all(struct ring_guard *guard)
{
    uint32_t high = atomic_load(&guard->arena->header->slot_high);
    for (uint32_t i = 0; i < high && i < ARENA_SLOTS; i++) {
        struct ring *ring = &guard->rings[i];
        ring->slot = arena_slot_at(guard->arena->memory, i);
        ring->words = arena_slot_ring(ring->slot);
        ring_guard_spill(guard, ring);
    }
}

/* The clock word, if it is kept at all. */
static void beat(struct arena_header *header)
{
    if (atomic_load_explicit(&header->clock, memory_order_relaxed))
        atomic_store_explicit(&header->clock, __builtin_ia32_rdtsc(), memory_order_relaxed);
}

static void *stand_in(void *context)
{
    struct ring_guard *guard = context;
    struct timespec nap = {0, NAP_NS};
    pthread_mutex_lock(&guard->lock);
    while (!guard->stop) {
        if (!guard->on) {
            pthread_cond_wait(&guard->changed, &guard->lock);
            continue;
        }
        pthread_mutex_unlock(&guard->lock);
        nanosleep(&nap, NULL); /* most work is shorter than this */
        pthread_mutex_lock(&guard->lock);
        if (guard->on) {
            beat(guard->arena->header);
            spill_all(guard);
        }
    }
    pthread_mutex_unlock(&guard->lock);
    return NULL;
}

struct ring_guard *ring_guard_create(struct arena *arena, struct ring *rings)
{
    struct ring_guard *guard = calloc(1, sizeof(*guard));
    if (!guard)
        return NULL;
    guard->arena = arena;
    guard->rings = rings;
    pthread_mutex_init(&guard->lock, NULL);
    pthread_cond_init(&guard->changed, NULL);
    if (pthread_create(&guard->thread, NULL, stand_in, guard) != 0) {
        free(guard);
        return NULL;
    }
    return guard;
}

void ring_guard_destroy(struct ring_guard *guard)
{
    if (!guard)
        return;
    pthread_mutex_lock(&guard->lock);
    guard->stop = true;
    pthread_cond_signal(&guard->changed);
    pthread_mutex_unlock(&guard->lock);
    pthread_join(guard->thread, NULL);
    for (uint32_t i = 0; i < ARENA_SLOTS; i++)
        free(guard->rings[i].spill);
    pthread_cond_destroy(&guard->changed);
    pthread_mutex_destroy(&guard->lock);
    free(guard);
}

void ring_guard_on(struct ring_guard *guard)
{
    pthread_mutex_lock(&guard->lock);
    guard->on = true;
    pthread_cond_signal(&guard->changed);
    pthread_mutex_unlock(&guard->lock);
}

void ring_guard_off(struct ring_guard *guard)
{
    pthread_mutex_lock(&guard->lock);
    guard->on = false;
    pthread_mutex_unlock(&guard->lock);
}
