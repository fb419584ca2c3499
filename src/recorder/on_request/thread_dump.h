/* thread_dump.h - the stack of every thread of a process, now.
 *
 * Threads are stopped by ptrace one at a time, each only as long as it takes to copy its registers
 * and its stack, and go on unchanged: see thread_stop.h.  The stacks are walked when their threads
 * run again, and named by thread_dump_name.  So the stacks are not all of one instant. */
#pragma once

#include "base/fault.h"
#include "base/vec.h"
#include "on_request/thread_state.h"
#include "model/recording.h"
#include "stacks/stack_walk.h"

#define DUMP_THREADS_MOST 16384u
#define DUMP_COPY_MOST    ((size_t)1 << 20) /* Of a stack; frames further out are not walked. */
#define DUMP_COPY_HEAP                                                                             \
    ((size_t)128 << 10) /* the same of one in memory that is no stack of its own, as Go's */

struct dumped_thread {
    uint32_t tid;
    struct thread_state state; /* Just before it was stopped. */
    stack_id stack;            /* In the recording; STACK_EMPTY: it did not stop, or has ended. */
    enum stack_stop stop;      /* Where the walk ended. */
    uint32_t left_out;         /* Number of frames in its middle. */
};

struct thread_dump {
    /* Has modules, named frames, stacks; its threads are in the order of `threads`. */
    struct recording *recording;
    VEC(struct dumped_thread) threads;
    uint64_t stopped_ns, longest_ns; /* All stops together, and the longest. */
    size_t more_threads;             /* Number of threads beyond the limit. */
};

/* Returns 0, or -errno with one sentence: -ESRCH; -EPERM if the kernel does not permit it (and what
 * to do); -EBUSY if another process traces it. */
int thread_dump_collect(struct thread_dump *dump, uint32_t pid, struct fault *fault);
void thread_dump_name(struct thread_dump *dump);
void thread_dump_fini(struct thread_dump *dump);
