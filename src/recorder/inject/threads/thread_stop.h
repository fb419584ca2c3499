/* thread_stop.h - one thread of another process, stopped for a moment by ptrace.
 *
 * A thread stops between two of its instructions, or with the system call it waits in put aside;
 * when it is let go the kernel begins that call again where it may.  All calls about one thread
 * must come from the same thread of ours: ptrace knows its tracer by thread.  See
 * tracing_thread.h.
 *
 * A thread that executes another program is let go at once and counts as gone: what root traces
 * may be a set-user-ID program from then on, and nothing that was learned of the process before
 * is true of that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stopped_thread {
    pid_t tid;
    uint64_t since_ns; /* when it stopped, on the monotonic clock */
};

/* Stops it.  0; -ESRCH when it is gone, -EPERM when the kernel forbids it, -EAGAIN when it did
 * not stop within `wait_ns` (it sleeps where nothing disturbs it): it stays ours and is let go
 * by thread_stop_forget. */
int thread_stop(pid_t tid, uint64_t wait_ns, struct stopped_thread *thread);

/* Lets it go, as it was: the ns it was stopped.  0 when it is not stopped: it has ended, or a
 * step is under way. */
uint64_t thread_release(struct stopped_thread *thread);

/* For a thread that would not stop: lets it go if it has by now.  True when it is ours no more. */
bool thread_stop_forget(pid_t tid);

/* Waits for the thread's next stop or end.  0 with *status as waitpid gives it, -ETIMEDOUT,
 * -ESRCH: it has ended or is another program, and is not ours. */
int thread_wait(pid_t tid, uint64_t wait_ns, int *status);

/* Lets a stopped thread do one instruction, or go into the handler of a signal that just came.
 * 0, or -errno as thread_wait.  After -ETIMEDOUT the step is still under way, and
 * thread_end_step must follow. */
int thread_step(pid_t tid, uint64_t wait_ns);
/* Lets a thread go whose step is under way, once it is over: let go earlier, it would die of the
 * trap at its end.  The step may wait for other threads: release those first.  One that waits is
 * interrupted; after half a minute we go, whatever it does. */
void thread_end_step(pid_t tid);
