/* thread_stop.h - stops one thread of another process for a moment, by ptrace.
 *
 * A thread stops between two of its instructions, or with the system call in which it waits
 * interrupted; when it is released, the kernel restarts that call if possible.  All calls about one
 * thread must come from the same thread of ours, because ptrace knows its tracer by thread: see
 * tracing_thread.h.
 *
 * A thread that executes another program is released at once and counts as gone: that may be a
 * set-user-ID program, which root must not go on tracing, and what was learned of the process
 * before is no longer true. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stopped_thread {
    pid_t tid;
    uint64_t since_ns; /* When it stopped, on the monotonic clock. */
};

/* Stops a thread.  Returns 0; -ESRCH if it is gone; -EPERM if the kernel forbids it; -EAGAIN if it
 * did not stop within `wait_ns` (uninterruptible sleep): then it stays traced until
 * thread_stop_forget. */
int thread_stop(pid_t tid, uint64_t wait_ns, struct stopped_thread *thread);

/* Releases the thread, unchanged.  Returns the ns that it was stopped; 0 if it is not stopped: it
 * has ended, or a step is under way. */
uint64_t thread_release(struct stopped_thread *thread);

/* For a thread that did not stop: releases it if it has stopped by now.  Returns true if it is no
 * longer traced. */
bool thread_stop_forget(pid_t tid);

/* Waits for the thread's next stop or end.  Returns 0 with *status as waitpid gives it; -ETIMEDOUT;
 * -ESRCH: it has ended or executed another program, and is no longer traced. */
int thread_wait(pid_t tid, uint64_t wait_ns, int *status);

/* Lets a stopped thread execute one instruction, or enter the handler of a signal that just came.
 * Returns 0, or -errno as thread_wait does.  After -ETIMEDOUT the step is still under way, and
 * thread_end_step must be called. */
int thread_step(pid_t tid, uint64_t wait_ns);
/* Releases a thread whose step is under way, once the step is over: if released earlier, the trap
 * at its end would kill it.  The step may wait for other threads: release those first.  A thread
 * that waits is interrupted; after half a minute this returns in any case. */
void thread_end_step(pid_t tid);
