/* thread.h - the tracer in this process and in this thread: is it on, and where does this thread
 * write.
 *
 * It may be turned on and off any number of times, and on again with another arena: each time is
 * an epoch with a number of its own.  What a thread remembers is good for one epoch.  Nothing
 * here allocates; what runs on every event is inline. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tracer/rings/seats.h"
#include "wire/arena.h"
#include "wire/invariant.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
/* Part of every malloc and free, whatever the compiler thinks of its size. */
#define always_inline inline __attribute__((always_inline))

/* What says where the tracer may read and write on behalf of this thread: never in the arena,
 * where others can write. */
struct thread_limits {
    uint64_t stack_low, stack_high;   /* of the thread's own stack, known to be readable */
    uint64_t stack_floor;             /* stack_low never goes below */
    uint64_t generation;              /* of the rules that the slot's memory was learned by */
    uint32_t frame_count, link_count; /* of the slot's struct kept_frames */
    uint32_t position; /* kept frames that are not inward of the last stack's innermost */
    uint32_t slot;     /* its index */
};

struct tracer_thread {
    struct arena_slot *slot;     /* in the arena of the epoch; NULL: none yet */
    struct seat *seat;           /* never NULL */
    uint64_t epoch;              /* the last one it took part in */
    uint32_t busy;               /* inside a hook: calls from there pass through; or THREAD_NEW */
    uint32_t exit_rounds;        /* destructor rounds seen at thread exit */
    uint32_t slotless;           /* events to go before asking for a slot again */
    uint64_t busy_frame;         /* the frame of the hook that is busy */
    uint32_t fork_id;            /* of the FORK record that it wrote, while it forks; 0: none */
    uint64_t quota;              /* bytes to go before an allocation is taken, see sample.h */
    uint64_t rate, random;       /* what the quota is for; of its draw */
    struct thread_limits limits; /* good as long as the slot is */
};
#define THREAD_BUSY      1u
#define THREAD_NEW       2u
#define THREAD_ELSEWHERE 3u /* busy, and in an allocator of the program that may call others */

extern __thread struct tracer_thread tracer_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct tracer_process {
    void *arena;
    struct arena_header *header;
    /* the epoch while on, else 0; in a page that the kernel zeroes in forked children */
    volatile uint64_t *alive;
    const _Atomic uint64_t *rate; /* what the recorder wants, in memory that never goes away */
    uint32_t process;
    uint32_t family, serial, pid, local_pid; /* see struct arena_process */
};
extern struct tracer_process tracer_process __attribute__((visibility("hidden")));

/* Off, or never on: begins if that is to be, in a process that was just started or forked.
 * Whether it is on. */
bool tracer_revive(void);
void tracer_turn_off(void);
/* The arena is no longer read. */
bool tracer_recorder_is_dead(void);

/* A slot for this thread, or NULL when there is none to be had. */
struct arena_slot *thread_claim_slot(void);
/* When the tracer starts. */
void thread_start_up(void);

/* The slow sides of the two below. */
bool tracer_enter_slowly(struct tracer_thread *self, uint64_t frame);
bool arena_settle(void);

/* True when the caller should record what it is about to do; it must then call tracer_leave. */
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

/* tracer_enter for what allocators themselves call: it must not start the tracer, for locks may be
 * held, and inside a hook it is no event of the program. */
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

/* True when there is an arena to record in; it stays there until arena_leave.  Never held over a
 * call of the real function, which may take any time: the thread comes back from there to code,
 * and no arena. */
static inline bool arena_enter(void)
{
    struct tracer_thread *self = &tracer_self;
    atomic_store_explicit(&self->seat->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* see seats.h for the processor's part */
    if (likely(*tracer_process.alive == self->epoch))
        return true;
    atomic_store_explicit(&self->seat->inside, 0, memory_order_relaxed);
    return arena_settle();
}

static inline void arena_leave(void)
{
    atomic_store_explicit(&tracer_self.seat->inside, 0, memory_order_release);
}
