/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/slot_keeper.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/invariant.h"
#include "capture/sessions/process_keeper.h"

#define LOOK_NS            100000000ull
#define SPARE_SLOTS        2u
#define TOUCHED_RING_BYTES (32u * 1024u)
#define SLOTS_KEPT_WARM    64u /* below this, free slots keep their memory for the next thread */

struct slot_keeper {
    struct arena *arena;
    uint64_t next_look_ns;
    uint32_t touched; /* slots below this have memory */
};

struct slot_keeper *slot_keeper_create(struct arena *arena)
{
    struct slot_keeper *keeper = calloc(1, sizeof(*keeper));
    if (keeper) {
        keeper->arena = arena;
        slot_keeper_look(keeper, 0);
    }
    return keeper;
}

void slot_keeper_destroy(struct slot_keeper *keeper)
{
    free(keeper);
}

/* What every thread uses: the head of its slot and the beginning of its ring. */
static void touch_slot(struct slot_keeper *keeper, uint32_t index)
{
    INVARIANT(index < keeper->arena->slots);
    struct arena_slot *slot = arena_slot_at(keeper->arena->memory, index);
    madvise(slot, 2 * 4096, MADV_POPULATE_WRITE);
    madvise(arena_slot_ring(slot), TOUCHED_RING_BYTES, MADV_POPULATE_WRITE);
}

/* A slot that nobody has, and whose ring is read, needs no memory but its head. */
static void trim_slot(struct slot_keeper *keeper, uint32_t index)
{
    struct arena_slot *slot = arena_slot_at(keeper->arena->memory, index);
    struct arena_tag *tag = arena_tag_at(keeper->arena->memory, index);
    uint32_t nobody = 0;
    if (atomic_load(&tag->owner) != 0 || atomic_load(&slot->head) != atomic_load(&slot->tail) ||
        !atomic_compare_exchange_strong(&tag->owner, &nobody, SLOT_TAKING))
        return;
    madvise((char *)slot + 4096, SLOT_STRIDE - 4096, MADV_REMOVE);
    atomic_store_explicit(&tag->owner, 0, memory_order_release);
}

/* Never true of a process whose number is not known. */
static bool thread_is_gone(uint32_t pid, uint32_t tid)
{
    char path[64];
    struct stat status;
    if (pid == 0)
        return false;
    snprintf(path, sizeof(path), "/proc/%u/task/%u", pid, tid);
    return stat(path, &status) < 0 && errno == ENOENT;
}

/* Adds a dead thread's counters to those of its process. */
static void hand_over(struct slot_keeper *keeper, uint32_t index, uint32_t to)
{
    INVARIANT(to < ARENA_PROCESSES && index < keeper->arena->slots);
    struct arena_slot *slot = arena_slot_at(keeper->arena->memory, index);
    struct arena_tag *tag = arena_tag_at(keeper->arena->memory, index);
    struct arena_process *process = arena_process_at(keeper->arena->memory, to);
    atomic_fetch_add(&process->calls, slot->calls);
    atomic_fetch_add(&process->bytes, slot->bytes);
    atomic_fetch_add(&process->frees, slot->frees);
    atomic_fetch_add(&process->lost, slot->lost + slot->nested);
    atomic_fetch_add(&process->pool_calls, slot->pool_calls);
    atomic_fetch_add(&process->pool_bytes, slot->pool_bytes);
    atomic_fetch_add(&process->thinned_calls, slot->thinned_calls);
    atomic_fetch_add(&process->thinned_bytes, slot->thinned_bytes);
    atomic_fetch_add(&process->waits, slot->waits);
    atomic_fetch_add(&process->wait_ticks, slot->wait_ticks);
    slot->calls = slot->bytes = slot->frees = slot->lost = 0;
    slot->pool_calls = slot->pool_bytes = slot->thinned_calls = slot->thinned_bytes = 0;
    slot->waits = slot->wait_ticks = 0;
    slot->nested = tag->dying = 0;
}

static bool is_left(struct slot_keeper *keeper, uint32_t process, uint32_t tid)
{
    return process < ARENA_PROCESSES &&
           (thread_is_gone(arena_process_at(keeper->arena->memory, process)->pid, tid) ||
            process_is_superseded(keeper->arena, process));
}

/* Hands a dead thread's slot to the next. */
static void take_back(struct slot_keeper *keeper, uint32_t index)
{
    struct arena_tag *tag = arena_tag_at(keeper->arena->memory, index);
    uint32_t owner = atomic_load(&tag->owner), process = tag->process;
    if (owner == 0 || owner == SLOT_TAKING || !is_left(keeper, process, tag->tid) ||
        !atomic_compare_exchange_strong(&tag->owner, &owner, SLOT_TAKING))
        return;
    hand_over(keeper, index, process);
    atomic_store_explicit(&tag->owner, 0, memory_order_release);
}

void slot_keeper_look(struct slot_keeper *keeper, uint64_t now_ns)
{
    if (now_ns < keeper->next_look_ns)
        return;
    keeper->next_look_ns = now_ns + LOOK_NS;
    uint32_t high = arena_slot_high(keeper->arena);
    for (uint32_t i = 0; i < high; i++) {
        take_back(keeper, i);
        if (i >= SLOTS_KEPT_WARM)
            trim_slot(keeper, i);
    }
    for (; keeper->touched < high + SPARE_SLOTS && keeper->touched < keeper->arena->slots;
         keeper->touched++)
        touch_slot(keeper, keeper->touched);
    INVARIANT(keeper->touched <= keeper->arena->slots);
}

void slot_keeper_release(struct slot_keeper *keeper, uint32_t process)
{
    INVARIANT(process < ARENA_PROCESSES);
    uint32_t high = arena_slot_high(keeper->arena);
    for (uint32_t i = 0; i < high; i++) {
        struct arena_tag *tag = arena_tag_at(keeper->arena->memory, i);
        uint32_t owner = atomic_load(&tag->owner);
        if (tag->process != process || owner == SLOT_TAKING ||
            !atomic_compare_exchange_strong(&tag->owner, &owner, SLOT_TAKING))
            continue;
        if (tag->process == process) { /* still */
            hand_over(keeper, i, process);
            tag->process = PROCESS_NONE;
            owner = 0;
        }
        atomic_store_explicit(&tag->owner, owner, memory_order_release);
    }
}

/* The slot if it is, or was last, of this process. */
static const struct arena_slot *slot_of(struct slot_keeper *keeper, uint32_t index,
                                        uint32_t process)
{
    bool has = arena_tag_at(keeper->arena->memory, index)->process == process;
    return has ? arena_slot_at(keeper->arena->memory, index) : NULL;
}

uint64_t slot_keeper_totals(struct slot_keeper *keeper, uint32_t process, struct totals *totals)
{
    struct arena_process *ended = arena_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    totals->calls = atomic_load(&ended->calls);
    totals->bytes = atomic_load(&ended->bytes);
    totals->frees = atomic_load(&ended->frees);
    uint64_t lost = atomic_load(&ended->lost);
    for (uint32_t i = 0; i < high; i++) {
        const struct arena_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        totals->calls += slot->calls;
        totals->bytes += slot->bytes;
        totals->frees += slot->frees;
        lost += slot->lost + slot->nested;
    }
    return lost;
}

void slot_keeper_pools(struct slot_keeper *keeper, uint32_t process, struct totals *totals)
{
    struct arena_process *ended = arena_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    totals->calls = atomic_load(&ended->pool_calls);
    totals->bytes = atomic_load(&ended->pool_bytes);
    for (uint32_t i = 0; i < high; i++) {
        const struct arena_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        totals->calls += slot->pool_calls;
        totals->bytes += slot->pool_bytes;
    }
}

bool slot_keeper_next_gap(struct slot_keeper *keeper, uint32_t process, uint32_t *slot,
                          struct slot_gap *gap)
{
    uint32_t high = arena_slot_high(keeper->arena);
    INVARIANT(high <= ARENA_SLOTS);
    while (*slot < high) {
        const struct arena_slot *one = slot_of(keeper, (*slot)++, process);
        *gap = one ? (struct slot_gap){one->gap_events, one->gap_calls, one->gap_bytes,
                                       one->gap_frees, one->gap_start}
                   : (struct slot_gap){0};
        if (gap->events > 0)
            return true;
    }
    return false;
}

void slot_keeper_thinned(struct slot_keeper *keeper, uint32_t process, uint64_t *calls,
                         uint64_t *bytes)
{
    struct arena_process *ended = arena_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    *calls = atomic_load(&ended->thinned_calls);
    *bytes = atomic_load(&ended->thinned_bytes);
    for (uint32_t i = 0; i < high; i++) {
        const struct arena_slot *slot = slot_of(keeper, i, process);
        *calls += slot ? slot->thinned_calls : 0;
        *bytes += slot ? slot->thinned_bytes : 0;
    }
}

void slot_keeper_cost(struct slot_keeper *keeper, uint32_t process, double ns_per_tick,
                      struct cost *cost)
{
    struct stat status;
    struct arena_process *ended = arena_process_at(keeper->arena->memory, process);
    uint64_t ticks = 0, events = 0, wait_ticks = atomic_load(&ended->wait_ticks);
    cost->target_waits = atomic_load(&ended->waits);
    uint32_t high = arena_slot_high(keeper->arena);
    for (uint32_t i = 0; i < high; i++) {
        const struct arena_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        ticks += slot->cost_ticks;
        events += slot->cost_events;
        cost->target_waits += slot->waits;
        wait_ticks += slot->wait_ticks;
    }
    cost->target_wait_ns = (uint64_t)((double)wait_ticks * ns_per_tick);
    if (events > 0)
        cost->ns_per_event = (uint64_t)((double)ticks / (double)events * ns_per_tick);
    if (fstat(keeper->arena->fd, &status) == 0)
        cost->arena_bytes = (uint64_t)status.st_blocks * 512u;
}
