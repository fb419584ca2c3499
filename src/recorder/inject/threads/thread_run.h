/* thread_run.h - lets a stopped thread run until an event that we want to know of. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum happening {
    CALLS_KERNEL, /* Is at the entry of a system call. */
    LEFT_KERNEL,  /* Is at the exit of a system call. */
    HAS_REPORTED, /* Got `signal` at `report_at`; it was not delivered. */
    HAS_CRASHED
};

struct thread_run {
    pid_t tid;
    int how; /* PTRACE_SYSCALL: to the next system call; or PTRACE_CONT. */
    int signal;
    uint64_t report_at;
    uint64_t deadline_ns;
};

/* Returns 0 with *happening; -ETIMEDOUT: the thread still runs; -ESRCH: it is gone.  Other signals
 * are delivered.  If the whole process is stopped by a signal, the thread stops with the others. */
int thread_run(const struct thread_run *run, enum happening *happening);
