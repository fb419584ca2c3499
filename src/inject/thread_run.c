/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/thread_run.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "inject/thread_stop.h"

static bool is_crash(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE ||
           signal == SIGTRAP || signal == SIGSYS;
}

static bool is_at(pid_t tid, uint64_t address)
{
    struct user_regs_struct registers;
    return thread_registers(tid, &registers) && registers.rip == address;
}

int thread_run(const struct thread_run *run, enum happening *happening)
{
    pid_t tid = run->tid;
    unsigned long deliver = 0;
    int request = run->how, status;
    for (;;) {
        uint64_t now = monotonic_ns();
        if (ptrace(request, tid, 0, deliver) < 0)
            return -ESRCH;
        int err = thread_wait(tid, run->deadline_ns > now ? run->deadline_ns - now : 0, &status);
        if (err < 0)
            return err;
        int signal = WSTOPSIG(status);
        request = run->how;
        deliver = 0;
        if (status >> 16 == PTRACE_EVENT_STOP) {
            if (signal != SIGTRAP)
                request = PTRACE_LISTEN; /* somebody stops the whole process: so it shall stand */
            continue;
        }
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info) < 0)
                return -ESRCH;
            *happening = info.op == PTRACE_SYSCALL_INFO_ENTRY ? CALLS_KERNEL : LEFT_KERNEL;
            return 0;
        }
        if (is_crash(signal) || (signal == run->signal && is_at(tid, run->report_at))) {
            *happening = is_crash(signal) ? HAS_CRASHED : HAS_REPORTED;
            return 0;
        }
        deliver = (unsigned long)signal;
    }
}
