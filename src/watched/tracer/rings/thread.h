/* thread.h - the tracer in this process and in this thread: whether it is on, and where this thread
 * writes.
 *
 * The tracer may be turned on and off any number of times, also with another arena: each time is an
 * epoch with a number of its own.  What a thread remembers is valid for one epoch.  Nothing here
 * allocates; what runs at every event is inline. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/seats.h"
#include "wire/arena.h"
#include "wire/invariant.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Part of every malloc and free, so inline whatever its size. */
#define always_inline inline __attribute__((always_inline))

/* Where the tracer may read and write for this thread.  Never in the arena, where other processes
 * can write. */
struct thread_limits {
    uint64_t stack_low, stack_high;   /* Of the thread's own stack, known to be readable. */
    uint64_t stack_floor;             /* stack_low is never below this. */
    uint64_t generation;              /* Of the rules by which the slot's memory was learned. */
    uint32_t frame_count, link_count; /* Of the slot's struct kept_frames. */
    /* Number of kept frames that are not further in than the last stack's innermost. */
    uint32_t position;
    uint32_t slot; /* Its index. */
};

struct tracer_thread {
    struct arena_slot *slot; /* In the arena of the epoch; NULL: none yet. */
    struct seat *seat;       /* Never NULL. */
    uint64_t epoch;          /* The last one that the thread took part in. */
    uint32_t busy;           /* Inside a hook: its calls pass through unrecorded; or THREAD_NEW. */
    uint32_t exit_rounds;    /* Destructor rounds seen at thread exit. */
    uint32_t slotless;       /* Number of events until the thread asks for a slot again. */
    uint64_t busy_frame;     /* The frame of the hook that is busy. */
    uint32_t fork_id; /* ID of the FORK record that the thread wrote, while it forks; 0: none. */
    uint64_t quota;   /* Bytes until an allocation is taken, see sample.h. */
    uint64_t rate, random;       /* Rate of the quota; random state of its draw. */
    struct thread_limits limits; /* Valid as long as the slot is. */
};
#define THREAD_BUSY      1u
#define THREAD_NEW       2u
#define THREAD_ELSEWHERE 3u /* Busy, in an allocator of the program that may call others. */

extern __thread struct tracer_thread tracer_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct tracer_process {
    void *arena;
    struct arena_header *header;
    /* The epoch while on, else 0; in a page that the kernel zeroes in forked children. */
    volatile uint64_t *alive;
    const _Atomic uint64_t *rate; /* What the recorder wants; this memory is never unmapped. */
    uint32_t process;
    uint32_t family, serial, pid, local_pid; /* See struct arena_process. */
    uint32_t fork_id; /* Of the fork by which this process began, until it is registered. */
};
extern struct tracer_process tracer_process __attribute__((visibility("hidden")));

/* Called when the tracer is off or was never on: turns it on if it should be, in a process that was
 * just started or forked.  Returns whether it is on. */
bool tracer_revive(void);
void tracer_turn_off(void);
/* Returns whether the arena is no longer read. */
bool tracer_recorder_is_dead(void);

/* Returns a slot for this thread, or NULL if there is none. */
struct arena_slot *thread_claim_slot(void);
/* To be called when the tracer starts. */
void thread_start_up(void);

/* The slow paths of tracer_enter and arena_enter. */
bool tracer_enter_slowly(struct tracer_thread *self, uint64_t frame);
bool arena_settle(void);

/* Returns true if the caller is to record what it is about to do; then it must call
 * tracer_leave. */
static inline bool tracer_enter(void)
{
    struct tracer_thread *self = &tracer_self;
    uint64_t frame = (uint64_t)__builtin_frame_address(0);
    if (unlikely(self->busy) && !tracer_enter_slowly(self, frame))
        return false;
    self->busy = 1;
    self->busy_frame = frame;
    return true;
}

/* Like tracer_enter, for functions that allocators themselves call.  Must not start the tracer,
 * because locks may be held; inside a hook, the call is no event of the program. */
static inline bool tracer_enter_if_idle(void)
{
    bool idle = tracer_self.busy == 0 || tracer_self.busy == THREAD_NEW;
    return *tracer_process.alive != 0 && idle && tracer_enter();
}

static inline void tracer_leave(void)
{
    INVARIANT(tracer_self.busy != 0);
    tracer_self.busy = 0;
}

/* Returns true if there is an arena to record in; it stays until arena_leave.  Must not be held
 * during a call of the real function, which may take any time: by its return the arena may be
 * gone. */
static inline bool arena_enter(void)
{
    struct tracer_thread *self = &tracer_self;
    atomic_store_explicit(&self->seat->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* See seats.h for the processor's part. */
    if (likely(*tracer_process.alive == self->epoch))
        return true;
    atomic_store_explicit(&self->seat->inside, 0, memory_order_relaxed);
    return arena_settle();
}

static inline void arena_leave(void)
{
    atomic_store_explicit(&tracer_self.seat->inside, 0, memory_order_release);
}
