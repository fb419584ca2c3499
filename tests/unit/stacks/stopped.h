/* stopped.h - real programs, stopped at some instant: a copy of a thread's registers and stack,
 * and what elfutils makes of the same stack. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "stacks/stack_walk.h"

#define COPY_MAX ((size_t)1 << 20)

struct stopped {
    pid_t pid;
    pid_t threads[256]; /* those that are stopped on request */
    unsigned thread_count;
    pid_t thread; /* that stands still now; 0: none */
    uint64_t registers[REG_COUNT];
    uint64_t start;
    uint8_t *bytes;
    size_t size;
    void *dwfl;
};

/* Starts a program, with its output thrown away, and takes hold of all threads it has after it
 * worked for `warm_up_ms`, or ten times that. */
void stopped_start(struct stopped *stopped, const char *const *argv, unsigned warm_up_ms);
/* Kills it. */
void stopped_end(struct stopped *stopped);

/* Takes hold of threads that came meanwhile. */
void stopped_look_for_threads(struct stopped *stopped);

/* A thread by chance, if possible one that does something. */
unsigned stopped_choose(const struct stopped *stopped);

/* Stops one of its threads and copies; at most `most` bytes of its stack.  false when that
 * thread is gone. */
bool stopped_hold(struct stopped *stopped, unsigned thread, size_t most);
void stopped_let_go(struct stopped *stopped);

struct stack_copy stopped_copy(const struct stopped *stopped);

/* The frames as elfutils finds them in the thread that stands still, as in struct stack_walk.
 * How many. */
unsigned stopped_by_elfutils(struct stopped *stopped, uint64_t *frames, unsigned room);
