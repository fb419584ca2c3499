/* SPDX-License-Identifier: Apache-2.0 */
/* thread.c - gives each thread a slot of the arena, from its first event to its end. */
#include "tracer/rings/thread.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "tracer/process/arena_raise.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/registration.h"
#include "tracer/rings/ring.h"
#include "tracer/stacks/slot_memory.h"
#include "tracer/stacks/tables.h"
#include "wire/invariant.h"

/* Keys above this one would make pthread_setspecific allocate. */
#define STATIC_KEYS 32

#define SLOTLESS_EVENTS 1000u

/* How far from the main thread's first frame its stack may reach, where no limit says less. */
#define MAIN_STACK_MAX (64ull << 20)

extern void *__libc_stack_end;

/* An epoch that never is: whatever a new thread finds is new to it. */
__thread struct tracer_thread tracer_self = {
    .seat = &seat_of_nobody, .epoch = UINT64_MAX, .busy = THREAD_NEW};

static pthread_key_t exit_key;
static enum { KEY_UNASKED, KEY_OURS, KEY_NONE } exit_key_state;

/* Other destructors may free memory after ours, in every round and after the last; so the thread
 * keeps its slot and its seat, which are only marked for whoever finds that the thread is gone. */
static void thread_exits(void *value)
{
    struct tracer_thread *self = &tracer_self;
    if (++self->exit_rounds < 4 && pthread_setspecific(exit_key, value) == 0)
        return;
    atomic_store(&self->seat->dying, 1);
    if (*tracer_process.alive == self->epoch && arena_enter()) {
        if (self->slot)
            arena_tag_at(tracer_process.arena, self->limits.slot)->dying = 1;
        arena_leave();
    }
}

/* The key is asked for once.  One whose values would have to be allocated is none. */
void thread_start_up(void)
{
    if (exit_key_state != KEY_UNASKED)
        return;
    exit_key_state = KEY_NONE;
    if (pthread_key_create(&exit_key, thread_exits) != 0)
        return;
    if (exit_key < STATIC_KEYS)
        exit_key_state = KEY_OURS;
    else
        pthread_key_delete(exit_key);
}

/* What glibc keeps about the stack of a thread it made: four words in a row, somewhere in its
 * descriptor, which is where the thread pointer points and lies at the end of that stack itself. */
struct stack_words {
    uint64_t block, size, guard, guard_asked;
};
#define DESCRIPTOR_BYTES 2000u /* at least; the rest of it is of no interest */
#define LEAST_ADDRESS    65536u
#define LEAST_STACK      16384u

static bool describes_stack(const struct stack_words *words, uint64_t here)
{
    return words->block >= LEAST_ADDRESS && words->block < here && words->size >= LEAST_STACK &&
           words->size <= UINT64_MAX - words->block && words->guard < words->size &&
           words->block + words->size >= (uint64_t)(words + 1) &&
           words->block + words->size < (uint64_t)words + 2 * DESCRIPTOR_BYTES;
}

/* Where the thread's stack may be at most: [low, high).  Not by pthread_getattr_np: it allocates
 * and locks, and may be what called us, or an allocator that is not to be called now. */
static void stack_limits(bool main_thread, uint64_t here, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    if (main_thread) {
        *high = (uint64_t)__libc_stack_end;
        *low = *high - MAIN_STACK_MAX;
        if (here >= *low && here < *high)
            return; /* else it was another thread before fork made it the main one */
    }
    const uint64_t *descriptor = __builtin_thread_pointer();
    for (size_t i = 0; i < DESCRIPTOR_BYTES / 8; i++) {
        const struct stack_words *words = (const struct stack_words *)(descriptor + i);
        if (describes_stack(words, here)) {
            *low = words->block + words->guard;
            *high = words->block + words->size;
            return;
        }
    }
}

/* The part of the thread's own stack that is in use now: readable, for as long as the thread
 * lives. */
static void learn_stack(struct arena_slot *slot, bool main_thread)
{
    uint64_t here = (uint64_t)__builtin_frame_address(0), low, high;
    stack_limits(main_thread, here, &low, &high);
    struct thread_limits *limits = &tracer_self.limits;
    limits->stack_floor = limits->stack_low = limits->stack_high = slot->stack_high = 0;
    if (here < low || here >= high)
        return; /* somebody else's stack: a coroutine's, a signal handler's */
    limits->stack_floor = low;
    limits->stack_low = here;
    limits->stack_high = slot->stack_high = high;
    INVARIANT(limits->stack_floor <= limits->stack_low && limits->stack_low < limits->stack_high);
}

/* In libpthread before glibc 2.34. */
#pragma weak pthread_getcpuclockid

/* The thread's number as libc knows it.  The kernel's number of a thread's clock contains it. */
static uint32_t tid_in_storage(void)
{
    clockid_t clock;
    if (!pthread_getcpuclockid ||
        pthread_getcpuclockid((pthread_t)__builtin_thread_pointer(), &clock))
        return 0;
    return (uint32_t) ~(clock >> 3);
}

/* The number of the thread whose storage this is; 0: not known.  A child in our memory (of vfork,
 * or of clone with CLONE_VM) that uses a thread's storage allocates and frees for that thread, and
 * may be gone long before it. */
static uint32_t own_tid(void)
{
    uint32_t const pid = tracer_process.local_pid;
    if ((uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) == pid)
        return (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0);
    uint32_t const tid = tid_in_storage();
    long const found = tid ? raw_syscall3(SYS_tgkill, pid, tid, 0) : -3;
    return found == 0 || found == -1 ? tid : 0; /* EPERM: the child has other rights by now */
}

/* Makes a slot this thread's own.  The owner word says SLOT_TAKING. */
static void furnish(struct arena_slot *slot, uint32_t index, uint32_t tid)
{
    INVARIANT(index < ARENA_SLOTS);
    struct arena_tag *tag = arena_tag_at(tracer_process.arena, index);
    if (tag->process != tracer_process.process) { /* the same addresses may be other code */
        memset(arena_slot_memory(slot)->children, 0, sizeof(arena_slot_memory(slot)->children));
        slot->gap_events = slot->gap_calls = slot->gap_bytes = slot->gap_frees = 0;
    } /* else a gap that its last owner left open is told by this one */
    tag->process = tracer_process.process;
    tag->tid = registration_tid(tid);
    tag->dying = 0;
    /* Nothing that the slot's last owner learned holds. */
    tracer_self.limits = (struct thread_limits){.generation = UINT64_MAX, .slot = index};
    slot->last_block = 0;
    slot->rate = RATE_FULL;
    slot->last_alloc = UINT64_MAX;
    slot->last_clock = slot->last_time = 0;
    slot->quiet_events = QUIET_MAX; /* the first event gets a time of its own */
    slot->cost_ticks = slot->cost_events = 0;
    slot->thin = 0;
    slot->next = atomic_load(&slot->head);
    slot->look_at = 0; /* the first event looks, and announces the thread */
    slot->thread_word = (uint64_t)tag->tid << 32 | (uint64_t)tag->process << 16 | EVENT_THREAD;
    INVARIANT(tag->process < ARENA_PROCESSES);
    slot->announce = 1;
    atomic_store_explicit(&tag->owner, tid, memory_order_release);
}

/* What a thread that is gone had counted belongs to its process, which is this one. */
static void retire(struct arena_slot *slot)
{
    arena_slot_hand_over(slot, arena_process_at(tracer_process.arena, tracer_process.process));
}

static bool is_gone(const struct arena_tag *tag, uint32_t pid, uint32_t owner)
{
    return tag->dying && tag->process == tracer_process.process &&
           raw_syscall3(SYS_tgkill, pid, owner, 0) == -3; /* ESRCH */
}

static struct arena_slot *claim(uint32_t pid, uint32_t tid)
{
    uint32_t const limit = tracer_process.header->slot_limit;
    for (uint32_t i = 0; i < (limit && limit < ARENA_SLOTS ? limit : ARENA_SLOTS); i++) {
        struct arena_tag *tag = arena_tag_at(tracer_process.arena, i);
        uint32_t owner = atomic_load_explicit(&tag->owner, memory_order_relaxed);
        if (owner == SLOT_TAKING || (owner != 0 && !is_gone(tag, pid, owner)) ||
            !atomic_compare_exchange_strong(&tag->owner, &owner, SLOT_TAKING))
            continue;
        struct arena_slot *slot = table_slot(i);
        if (!slot) {
            atomic_store_explicit(&tag->owner, owner, memory_order_release);
            return NULL;
        }
        arena_raise(&tracer_process.header->slot_high, i);
        if (owner != 0)
            retire(slot);
        furnish(slot, i, tid);
        return slot;
    }
    return NULL;
}

struct arena_slot *thread_claim_slot(void)
{
    struct tracer_thread *self = &tracer_self;
    if (self->slotless > 0) {
        self->slotless--;
        return NULL;
    }
    uint32_t const pid = tracer_process.local_pid, tid = own_tid();
    struct arena_slot *slot = tid ? claim(pid, tid) : NULL;
    if (!slot) {
        self->slotless = SLOTLESS_EVENTS;
        return NULL;
    }
    learn_stack(slot, tid == pid);
    self->slot = slot;
    INVARIANT(self->limits.slot < ARENA_SLOTS);
    if (exit_key_state == KEY_OURS && self->exit_rounds == 0)
        pthread_setspecific(exit_key, self->seat);
    return slot;
}

bool arena_settle(void)
{
    struct tracer_thread *self = &tracer_self;
    if (*tracer_process.alive == 0 && !tracer_revive())
        return false;
    seats_come();
    uint64_t epoch = *tracer_process.alive;
    struct seat *seat = NULL;
    if (epoch != 0) {
        uint32_t const tid = own_tid();
        seat = tid ? seat_claim(self->seat, tracer_process.local_pid, tid) : NULL;
        if (seat) {
            self->seat = seat;
            self->slot = NULL;
            self->slotless = 0;
            self->epoch = epoch;
            atomic_store(&seat->inside, 1);
        } else {
            atomic_fetch_add(&arena_process_at(tracer_process.arena, tracer_process.process)->lost,
                             1);
        }
    }
    seats_came();
    return seat != NULL;
}

/* Busy, and called again.  True when that is only because a handler jumped out of our code: the
 * busy hook is further in on the same stack, so it is not running any more. */
static bool was_left(struct tracer_thread *self, uint64_t frame)
{
    uint32_t inside = atomic_load(&self->seat->inside);
    bool left = inside == 0 && frame > self->busy_frame; /* if there is no slot to tell */
    atomic_store(&self->seat->inside, 1);
    struct arena_slot *slot = *tracer_process.alive == self->epoch ? self->slot : NULL;
    if (slot) {
        left = frame > self->busy_frame && self->busy_frame >= self->limits.stack_floor &&
               frame < self->limits.stack_high && self->busy_frame < self->limits.stack_high;
        slot->nested += !left && self->busy == THREAD_BUSY;
    }
    atomic_store(&self->seat->inside, left ? 0 : inside);
    return left;
}

bool tracer_enter_slowly(struct tracer_thread *self, uint64_t frame)
{
    if (self->busy != THREAD_NEW)
        return was_left(self, frame);
    self->busy = 1;
    self->busy_frame = frame;
    bool on = *tracer_process.alive != 0 || tracer_revive();
    self->busy = THREAD_NEW;
    return on;
}
