/* thread_run.h - lets a stopped thread run until something happens to it that we want to know
 * of. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

enum happening {
    CALLS_KERNEL, /* stands at the entry of a system call */
    LEFT_KERNEL,  /* at its exit */
    HAS_REPORTED, /* got `signal` at `report_at`, not delivered */
    HAS_CRASHED
};

struct thread_run {
    pid_t tid;
    int how; /* PTRACE_SYSCALL: to the next system call; PTRACE_CONT */
    int signal;
    uint64_t report_at;
    uint64_t deadline_ns;
};

/* 0 with *happening; -ETIMEDOUT: it still runs; -ESRCH: it is gone.  Other signals are
 * delivered; when somebody stops the whole process it stands still with the others. */
int thread_run(const struct thread_run *run, enum happening *happening);
