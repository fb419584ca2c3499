/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/thread_stop.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "inject/threads/thread_registers.h"

#define ALARM_SIGNAL (SIGRTMIN + 9) /* ends a wait that lasts too long */
#define ALARM_AGAIN  10000000l      /* should it come just before the wait begins */
#define SIGNALS_MAX  64u            /* that come before what we wait for; more are a flood */
#define STEP_WAIT_NS 100000000ull   /* for the end of a step, before it is interrupted */
#define STEP_TRIES   300u           /* a thread that hardly ever runs is still at its step */

static _Thread_local volatile sig_atomic_t is_seizing;

/* Threads that this one traces and that have ended, without the children of others. */
static void bury_the_dead(void)
{
    siginfo_t dead = {.si_pid = 1};
    while (dead.si_pid != 0) {
        dead.si_pid = 0;
        if (waitid(P_ALL, 0, &dead, WEXITED | WNOHANG | __WALL | __WNOTHREAD) < 0)
            return;
    }
}

static void on_alarm(int number)
{
    int const before = errno;
    (void)number;
    if (is_seizing)
        bury_the_dead();
    errno = before;
}

static void catch_alarm(void)
{
    struct sigaction action = {.sa_handler = on_alarm}; /* without SA_RESTART: waits end */
    sigaction(ALARM_SIGNAL, &action, NULL);
}

/* A signal to this thread after `wait_ns`, and again.  false when there is none to be had. */
static bool set_alarm(uint64_t wait_ns, timer_t *alarm)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = ALARM_SIGNAL};
    struct itimerspec when = {
        .it_interval = {0, ALARM_AGAIN},
        .it_value = {(time_t)(wait_ns / NS_PER_SECOND), (long)(wait_ns % NS_PER_SECOND)}};
    event._sigev_un._tid = gettid();
    pthread_once(&once, catch_alarm);
    if (timer_create(CLOCK_MONOTONIC, &event, alarm) < 0)
        return false;
    return timer_settime(*alarm, 0, &when, NULL) == 0;
}

static bool is_exec(int status)
{
    return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_EXEC;
}

int thread_wait(pid_t tid, uint64_t wait_ns, int *status)
{
    uint64_t start = monotonic_ns();
    timer_t alarm;
    pid_t got = waitpid(tid, status, __WALL | WNOHANG);
    if (got == 0 && wait_ns > 0 && set_alarm(wait_ns, &alarm)) {
        do
            got = waitpid(tid, status, __WALL);
        while (got < 0 && errno == EINTR && monotonic_ns() - start < wait_ns);
        if (got < 0 && errno == EINTR)
            got = 0;
        timer_delete(alarm);
    }
    if (got == 0)
        return -ETIMEDOUT;
    if (got != tid || !WIFSTOPPED(*status))
        return -ESRCH;
    if (!is_exec(*status))
        return 0;
    ptrace(PTRACE_DETACH, tid, 0, 0);
    return -ESRCH;
}

/* Most system calls that a stop interrupts are begun again by the kernel.  These end with EINTR
 * instead, which a program that handles no signals may not expect; so we ask for what the others
 * get. */
static bool ends_with_eintr(int64_t number)
{
    static const uint16_t calls[] = {
        SYS_epoll_wait, SYS_epoll_pwait, SYS_epoll_pwait2,  SYS_semop,    SYS_semtimedop,
        SYS_msgrcv,     SYS_msgsnd,      SYS_io_getevents,  SYS_recvfrom, SYS_rt_sigtimedwait,
        SYS_recvmsg,    SYS_recvmmsg,    SYS_accept,        SYS_accept4,  SYS_io_pgetevents,
        SYS_read,       SYS_readv,       SYS_sendto,        SYS_sendmsg,  SYS_write,
        SYS_writev,     SYS_connect,     SYS_io_uring_enter};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (calls[i] == number)
            return true;
    return false;
}
#define ERESTARTNOHAND 514 /* begin again, unless a handler runs first */

static void begin_call_again(pid_t tid)
{
    struct user_regs_struct registers;
    if (!thread_registers(tid, &registers) || registers_result(&registers) != -EINTR ||
        !ends_with_eintr(registers_call(&registers)))
        return;
    registers_set_result(&registers, -ERESTARTNOHAND);
    thread_registers_set(tid, &registers);
}

static bool is_our_stop(int status)
{
    return status >> 16 == PTRACE_EVENT_STOP;
}

/* The kernel lets nobody in while a thread executes another program, which waits until the other
 * threads have ended, and those that we trace have not before we know of it.  No signal makes
 * this call fail, but meanwhile the handler runs. */
static int seize(pid_t tid)
{
    timer_t alarm;
    bool const has_alarm = set_alarm(ALARM_AGAIN, &alarm);
    is_seizing = 1;
    unsigned long const options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC;
    int const err = ptrace(PTRACE_SEIZE, tid, 0, options) < 0 ? -errno : 0;
    is_seizing = 0;
    if (has_alarm)
        timer_delete(alarm);
    return err;
}

/* Lets a thread go on that signals keep from stopping for us, with the one that came last. */
static int flee(pid_t tid, int status)
{
    ptrace(PTRACE_DETACH, tid, 0, (unsigned long)WSTOPSIG(status));
    return -EAGAIN;
}

int thread_stop(pid_t tid, uint64_t wait_ns, struct stopped_thread *thread)
{
    int status;
    int const seized = seize(tid);
    if (seized < 0)
        return seized;
    if (ptrace(PTRACE_INTERRUPT, tid, 0, 0) < 0)
        return -errno;
    for (unsigned i = 0;; i++) {
        int err = thread_wait(tid, wait_ns, &status);
        if (err < 0)
            return err == -ETIMEDOUT ? -EAGAIN : err;
        if (is_our_stop(status))
            break;
        if (i == SIGNALS_MAX)
            return flee(tid, status);
        /* A signal came first: it is delivered, and our stop is still to come. */
        if (ptrace(PTRACE_CONT, tid, 0, (unsigned long)WSTOPSIG(status)) < 0)
            return -errno;
    }
    *thread = (struct stopped_thread){tid, monotonic_ns()};
    begin_call_again(tid);
    return 0;
}

uint64_t thread_release(struct stopped_thread *thread)
{
    if (ptrace(PTRACE_DETACH, thread->tid, 0, 0) < 0)
        return 0;
    return monotonic_ns() - thread->since_ns;
}

bool thread_stop_forget(pid_t tid)
{
    int status;
    pid_t got = waitpid(tid, &status, __WALL | WNOHANG);
    if (got == 0)
        return false;
    if (got == tid && WIFSTOPPED(status)) {
        bool const is_signal = !is_our_stop(status) && !is_exec(status);
        if (is_our_stop(status))
            begin_call_again(tid);
        ptrace(PTRACE_DETACH, tid, 0, is_signal ? (unsigned long)WSTOPSIG(status) : 0ul);
    }
    return true;
}

int thread_step(pid_t tid, uint64_t wait_ns)
{
    unsigned long signal = 0;
    for (unsigned i = 0; i < SIGNALS_MAX; i++) {
        int status;
        if (ptrace(PTRACE_SINGLESTEP, tid, 0, signal) < 0)
            return -errno;
        int err = thread_wait(tid, wait_ns, &status);
        if (err < 0 || WSTOPSIG(status) == SIGTRAP)
            return err;
        signal = is_our_stop(status) ? 0 : (unsigned long)WSTOPSIG(status);
    }
    /* It goes on with the last of them, and stops as after any step. */
    return ptrace(PTRACE_SINGLESTEP, tid, 0, signal) < 0 ? -errno : -ETIMEDOUT;
}

/* A step may be into a system call that waits for ever: we interrupt it.  Then the trap of the
 * step is still to come, or is not; only when the thread went on without one, and stopped for us
 * again, it can be let go. */
void thread_end_step(pid_t tid)
{
    int status;
    bool goes_on = false; /* without steps */
    for (unsigned i = 0; i < STEP_TRIES; i++) {
        int const err = thread_wait(tid, STEP_WAIT_NS, &status);
        if (err == -ESRCH)
            return;
        if (err == -ETIMEDOUT) {
            ptrace(PTRACE_INTERRUPT, tid, 0, 0);
        } else if (is_our_stop(status) && !goes_on) {
            goes_on = true;
            ptrace(PTRACE_CONT, tid, 0, 0);
        } else {
            bool const is_ours = is_our_stop(status) || WSTOPSIG(status) == SIGTRAP;
            ptrace(PTRACE_DETACH, tid, 0, is_ours ? 0ul : (unsigned long)WSTOPSIG(status));
            return;
        }
    }
}
