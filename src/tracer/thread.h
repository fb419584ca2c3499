/* thread.h - the tracer in this process and in this thread: is it on, and where does this thread
 * write.
 *
 * Off is for ever, but for a forked child under --children, which becomes a traced process of its
 * own. Nothing here allocates; what runs on every event is inline. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "wire/arena.h"

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

struct tracer_thread {
    struct arena_slot *slot;
    uint32_t busy;        /* inside our own code: calls from there pass through */
    uint32_t exit_rounds; /* destructor rounds seen at thread exit */
    uint32_t slotless;    /* events to go before asking for a slot again */
    uint64_t busy_frame;  /* the frame of the hook that is busy */
};
extern __thread struct tracer_thread tracer_self
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

struct tracer_process {
    void *arena;
    struct arena_header *header;
    volatile uint64_t *alive; /* 1 while on; a page that the kernel zeroes in forked children */
    uint32_t process;
    uint32_t family, pid, local_pid; /* see struct arena_process */
};
extern struct tracer_process tracer_process __attribute__((visibility("hidden")));

/* The slow side of tracer_enter: first call ever, forked child, or off. */
bool tracer_revive(void);
void tracer_turn_off(void);

/* What a program image that follows this one by exec needs to be traced as well. */
struct tracer_luggage {
    char library[4096]; /* path of ours */
    char arena[128];    /* "MEMOIR_ARENA=..." */
};
/* NULL when the caller's next image is not to be traced: we are off, or this is another process
 * that only borrows our memory, and children are not followed. */
const struct tracer_luggage *tracer_luggage(void);
/* Counts an image that follows by exec without its luggage, if it should have had it. */
void tracer_left_behind(int by);

/* A slot for this thread, or NULL when there is none to be had. */
struct arena_slot *thread_take_slot(void);
/* Once, when the tracer starts.  `path` names the arena; slots are mapped from it as they are needed. */
void thread_start_up(const char *path);

/* We are busy, and called again.  True when that is only because a handler jumped out of our code. */
bool tracer_was_left(struct tracer_thread *self, uint64_t frame);

/* True when the caller should record; it must then call tracer_leave. */
static inline bool tracer_enter(void)
{
    if (unlikely(*tracer_process.alive == 0) && !tracer_revive())
        return false;
    struct tracer_thread *self = &tracer_self;
    uint64_t frame = (uint64_t)__builtin_frame_address(0);
    if (unlikely(self->busy) && !tracer_was_left(self, frame))
        return false;
    self->busy = 1;
    self->busy_frame = frame;
    return true;
}

/* The same for what allocators themselves call: it must not start the tracer, for locks may be held, and inside
 * a hook it is no event of the program. */
static inline bool tracer_enter_if_idle(void)
{
    return *tracer_process.alive != 0 && !tracer_self.busy && tracer_enter();
}

static inline void tracer_leave(void)
{
    tracer_self.busy = 0;
}

static inline uint64_t read_tsc(void)
{
    return __builtin_ia32_rdtsc();
}
