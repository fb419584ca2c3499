/* all_threads.h - every thread of another process, stopped together.
 *
 * For moments only: one that holds a lock keeps it meanwhile, so nothing may be asked of the
 * process.  To be called in a tracing thread (tracing_thread.h), at whose end the kernel lets go
 * of all of them. */
#pragma once

#include "base/vec.h"
#include "inject/threads/thread_stop.h"

struct all_threads {
    VEC(struct stopped_thread) threads;
    uint64_t until_ns; /* when it is given up */
    pid_t stepping;    /* the one whose step is under way (thread_step), or 0 */
};

/* Stops them, also those that are made meanwhile; waits `wait_ns` for each, two seconds for all.
 * 0; or -errno of thread_stop (-EAGAIN: one of them does not stop now, or there are ever more),
 * -ENOMEM: then those stopped so far are in `all`, and to be released. */
int all_threads_stop(struct all_threads *all, pid_t pid, uint64_t wait_ns);

/* Lets them go.  The longest that one was stopped, in ns. */
uint64_t all_threads_release(struct all_threads *all);
