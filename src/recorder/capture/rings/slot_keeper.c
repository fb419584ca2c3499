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
#include "procfs/process/proc_open.h"

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
    struct shared_slot *slot = shared_slot_at(keeper->arena->memory, index);
    shared_slot_advise(slot, 0, 2 * 4096, MADV_POPULATE_WRITE);
    shared_slot_advise(slot, SLOT_STRIDE - RING_BYTES, TOUCHED_RING_BYTES, MADV_POPULATE_WRITE);
}

/* A slot that nobody has, and whose ring is read, needs no memory but its head. */
static void trim_slot(struct slot_keeper *keeper, uint32_t index)
{
    struct shared_slot *slot = shared_slot_at(keeper->arena->memory, index);
    struct shared_tag *tag = shared_tag_at(keeper->arena->memory, index);
    uint32_t nobody = 0;
    if (shared_get(tag, owner) != 0 || shared_get(slot, head) != shared_get(slot, tail) ||
        !shared_replace(tag, owner, &nobody, SLOT_TAKING))
        return;
    shared_slot_advise(slot, 4096, SLOT_STRIDE - 4096, MADV_REMOVE);
    shared_set(tag, owner, 0);
}

/* Never true of a process whose number is not known. */
static bool thread_is_gone(uint32_t pid, uint32_t tid)
{
    struct stat status;
    if (pid == 0)
        return false;
    return proc_stat(pid, tid, PROC_ITSELF, &status) == -ENOENT;
}

/* Adds a dead thread's counters to those of its process. */
static void hand_over(struct slot_keeper *keeper, uint32_t index, uint32_t to)
{
    INVARIANT(to < ARENA_PROCESSES && index < keeper->arena->slots);
    struct shared_slot *slot = shared_slot_at(keeper->arena->memory, index);
    struct shared_process *process = shared_process_at(keeper->arena->memory, to);
#define HAND_OVER(counter) shared_add(process, counter, shared_swap(slot, counter, 0));
    ARENA_COUNTERS(HAND_OVER)
#undef HAND_OVER
    shared_add(process, lost, shared_swap(slot, lost, 0) + shared_swap(slot, nested, 0));
    shared_set(shared_tag_at(keeper->arena->memory, index), dying, 0);
}

static bool is_left(struct slot_keeper *keeper, uint32_t process, uint32_t tid)
{
    return process < ARENA_PROCESSES &&
           (thread_is_gone(shared_get(shared_process_at(keeper->arena->memory, process), pid),
                           tid) ||
            process_is_superseded(keeper->arena, process));
}

/* Hands a dead thread's slot to the next. */
static void recycle(struct slot_keeper *keeper, uint32_t index)
{
    struct shared_tag *tag = shared_tag_at(keeper->arena->memory, index);
    uint32_t owner = shared_get(tag, owner), process = shared_get(tag, process);
    if (owner == 0 || owner == SLOT_TAKING || !is_left(keeper, process, shared_get(tag, tid)) ||
        !shared_replace(tag, owner, &owner, SLOT_TAKING))
        return;
    hand_over(keeper, index, process);
    shared_set(tag, owner, 0);
}

void slot_keeper_look(struct slot_keeper *keeper, uint64_t now_ns)
{
    if (now_ns < keeper->next_look_ns)
        return;
    keeper->next_look_ns = now_ns + LOOK_NS;
    uint32_t high = arena_slot_high(keeper->arena);
    for (uint32_t i = 0; i < high; i++) {
        recycle(keeper, i);
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
        struct shared_tag *tag = shared_tag_at(keeper->arena->memory, i);
        uint32_t owner = shared_get(tag, owner);
        if (shared_get(tag, process) != process || owner == SLOT_TAKING ||
            !shared_replace(tag, owner, &owner, SLOT_TAKING))
            continue;
        if (shared_get(tag, process) == process) { /* still */
            hand_over(keeper, i, process);
            shared_set(tag, process, PROCESS_NONE);
            owner = 0;
        }
        shared_set(tag, owner, owner);
    }
}

/* The slot if it is, or was last, of this process. */
static struct shared_slot *slot_of(struct slot_keeper *keeper, uint32_t index, uint32_t process)
{
    struct shared_arena *memory = keeper->arena->memory;
    bool const has = shared_get(shared_tag_at(memory, index), process) == process;
    return has ? shared_slot_at(memory, index) : NULL;
}

uint64_t slot_keeper_totals(struct slot_keeper *keeper, uint32_t process, struct totals *totals)
{
    struct shared_process *ended = shared_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    totals->calls = shared_get(ended, calls);
    totals->bytes = shared_get(ended, bytes);
    totals->frees = shared_get(ended, frees);
    uint64_t lost = shared_get(ended, lost);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        totals->calls += shared_get(slot, calls);
        totals->bytes += shared_get(slot, bytes);
        totals->frees += shared_get(slot, frees);
        lost += shared_get(slot, lost) + shared_get(slot, nested);
    }
    return lost;
}

void slot_keeper_pools(struct slot_keeper *keeper, uint32_t process, struct totals *totals)
{
    struct shared_process *ended = shared_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    totals->calls = shared_get(ended, pool_calls);
    totals->bytes = shared_get(ended, pool_bytes);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        totals->calls += shared_get(slot, pool_calls);
        totals->bytes += shared_get(slot, pool_bytes);
    }
}

bool slot_keeper_next_gap(struct slot_keeper *keeper, uint32_t process, uint32_t *slot,
                          struct slot_gap *gap)
{
    uint32_t high = arena_slot_high(keeper->arena);
    INVARIANT(high <= ARENA_SLOTS);
    while (*slot < high) {
        struct shared_slot *one = slot_of(keeper, (*slot)++, process);
        *gap = one ? (struct slot_gap){shared_get(one, gap_events), shared_get(one, gap_calls),
                                       shared_get(one, gap_bytes), shared_get(one, gap_frees),
                                       shared_get(one, gap_start)}
                   : (struct slot_gap){0};
        if (gap->events > 0)
            return true;
    }
    return false;
}

void slot_keeper_thinned(struct slot_keeper *keeper, uint32_t process, uint64_t *calls,
                         uint64_t *bytes)
{
    struct shared_process *ended = shared_process_at(keeper->arena->memory, process);
    uint32_t high = arena_slot_high(keeper->arena);
    *calls = shared_get(ended, thinned_calls);
    *bytes = shared_get(ended, thinned_bytes);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_slot *slot = slot_of(keeper, i, process);
        *calls += slot ? shared_get(slot, thinned_calls) : 0;
        *bytes += slot ? shared_get(slot, thinned_bytes) : 0;
    }
}

void slot_keeper_cost(struct slot_keeper *keeper, uint32_t process, double ns_per_tick,
                      struct cost *cost)
{
    struct stat status;
    struct shared_process *ended = shared_process_at(keeper->arena->memory, process);
    uint64_t ticks = 0, events = 0, wait_ticks = shared_get(ended, wait_ticks);
    cost->target_waits = shared_get(ended, waits);
    uint32_t high = arena_slot_high(keeper->arena);
    for (uint32_t i = 0; i < high; i++) {
        struct shared_slot *slot = slot_of(keeper, i, process);
        if (!slot)
            continue;
        ticks += shared_get(slot, cost_ticks);
        events += shared_get(slot, cost_events);
        cost->target_waits += shared_get(slot, waits);
        wait_ticks += shared_get(slot, wait_ticks);
    }
    cost->target_wait_ns = (uint64_t)((double)wait_ticks * ns_per_tick);
    if (events > 0)
        cost->ns_per_event = (uint64_t)((double)ticks / (double)events * ns_per_tick);
    if (fstat(keeper->arena->fd, &status) == 0)
        cost->arena_bytes = (uint64_t)status.st_blocks * 512u;
}
