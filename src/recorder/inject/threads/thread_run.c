/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/thread_run.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "inject/threads/thread_registers.h"
#include "inject/threads/thread_stop.h"

static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGSYS;
}

static bool is_at(pid_t tid, uint64_t address)
{
    struct user_regs_struct registers;
    return thread_registers(tid, &registers) && registers_ip(&registers) == address;
}

/* How it goes on after a stop: with which request, and which signal. */
struct next {
    int request;
    int signal;
};

/* What a stop means.  0 with *happening, 1 with *next when it is not for us, -ESRCH. */
static int understand(const struct thread_run *run, int status, enum happening *happening,
                      struct next *next)
{
    int const signal = WSTOPSIG(status);
    *next = (struct next){run->how, 0};
    if (status >> 16 == PTRACE_EVENT_STOP) {
        if (signal != SIGTRAP)
            next->request = PTRACE_LISTEN; /* somebody stops the whole process: so it shall stand */
        return 1;
    }
    if (signal == (SIGTRAP | 0x80)) {
        struct __ptrace_syscall_info info;
        if (ptrace(PTRACE_GET_SYSCALL_INFO, run->tid, sizeof(info), &info) < 0)
            return -ESRCH;
        *happening = info.op == PTRACE_SYSCALL_INFO_ENTRY ? CALLS_KERNEL : LEFT_KERNEL;
        return 0;
    }
    if (is_crash(signal) || (signal == run->signal && is_at(run->tid, run->report_at))) {
        *happening = is_crash(signal) ? HAS_CRASHED : HAS_REPORTED;
        return 0;
    }
    next->signal = signal;
    return 1;
}

int thread_run(const struct thread_run *run, enum happening *happening)
{
    struct next next = {run->how, 0};
    int err = 1, status;
    while (err == 1) {
        uint64_t const now = monotonic_ns();
        if (ptrace(next.request, run->tid, 0, (unsigned long)next.signal) < 0)
            return -ESRCH;
        err = thread_wait(run->tid, run->deadline_ns > now ? run->deadline_ns - now : 0, &status);
        if (err == 0)
            err = understand(run, status, happening, &next);
    }
    return err;
}
