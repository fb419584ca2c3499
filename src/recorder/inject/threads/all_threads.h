/* all_threads.h - stops all threads of another process together.
 *
 * Only for moments: a stopped thread keeps its locks, so the process cannot do anything for us
 * meanwhile.  To be called in a tracing thread (tracing_thread.h): when that ends, the kernel
 * releases all of them. */
#pragma once

#include "base/vec.h"
#include "inject/threads/thread_stop.h"

struct all_threads {
    VEC(struct stopped_thread) threads;
    uint64_t until_ns; /* When to give up. */
    pid_t stepping;    /* The thread whose step is under way (thread_step), or 0. */
};

/* Stops all threads, also those that are created meanwhile; waits `wait_ns` for each, two seconds
 * for all.  Returns 0; or -errno of thread_stop (-EAGAIN: a thread does not stop now, or there are
 * ever more), or -ENOMEM.  After a failure, `all` has the threads that were stopped, which must be
 * released. */
int all_threads_stop(struct all_threads *all, pid_t pid, uint64_t wait_ns);

/* Releases all threads.  Returns the longest time that one was stopped, in ns. */
uint64_t all_threads_release(struct all_threads *all);
