/* thread_dump.h - the stack of every thread of a process, now.
 *
 * Each thread is stopped by ptrace for as long as it takes to copy its registers and its stack,
 * one thread at a time, and goes on as if nothing had been: see thread_stop.h.  Stacks are
 * walked when it runs again, and named by thread_dump_name.  So the stacks are not all of one
 * instant. */
#pragma once

#include "base/fault.h"
#include "base/vec.h"
#include "on_request/thread_state.h"
#include "model/recording.h"
#include "stacks/stack_walk.h"

#define DUMP_THREADS_MOST 16384u
#define DUMP_COPY_MOST    ((size_t)1 << 20) /* of a stack; what lies further out is not walked */
#define DUMP_COPY_HEAP                                                                             \
    ((size_t)128 << 10) /* the same of one in memory that is no stack of its own, as Go's */

struct dumped_thread {
    uint32_t tid;
    struct thread_state state; /* just before it was stopped */
    stack_id stack;            /* of the recording; STACK_EMPTY: it would not stop, or has ended */
    enum stack_stop stop;      /* where the walk ended */
    uint32_t left_out;         /* frames in its middle */
};

struct thread_dump {
    /* with modules, named frames, stacks; its threads are in the order below */
    struct recording *recording;
    VEC(struct dumped_thread) threads;
    uint64_t stopped_ns, longest_ns; /* all stops together, and the longest */
    size_t more_threads;             /* that were too many */
};

/* 0, or -errno with one sentence: -ESRCH, -EPERM when the kernel does not let us (what to do),
 * -EBUSY when somebody else traces it. */
int thread_dump_collect(struct thread_dump *dump, uint32_t pid, struct fault *fault);
void thread_dump_name(struct thread_dump *dump);
void thread_dump_fini(struct thread_dump *dump);
