/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/passed_signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "keeper/keeper.h"

static struct {
    _Atomic int number; /* 0: not written yet */
    void *value;
} queue[PASSED_SIGNALS_QUEUED];
static _Atomic uint32_t queue_begin, queue_end;
static _Atomic uint32_t others[NSIG];    /* how many of each that are not in the queue */
static _Atomic(void *) last_value[NSIG]; /* of those */

static struct sigaction before[NSIG]; /* of faults */

static bool enqueue(int number, void *value)
{
    uint32_t at = queue_end;
    do {
        if (at - queue_begin >= PASSED_SIGNALS_QUEUED)
            return false;
    } while (!atomic_compare_exchange_weak(&queue_end, &at, at + 1));
    queue[at % PASSED_SIGNALS_QUEUED].value = value;
    queue[at % PASSED_SIGNALS_QUEUED].number = number;
    return true;
}

void passed_signals_keep(int number, void *value)
{
    if (number >= SIGRTMIN && enqueue(number, value))
        return;
    last_value[number] = value;
    atomic_fetch_add(&others[number], 1);
}

/* What is wrong is still wrong when the handler returns, and then ends us; the others say so
 * again. */
static void end_as_before(int number)
{
    sigaction(number, &before[number], NULL);
    if (number != SIGSEGV && number != SIGBUS && number != SIGILL && number != SIGFPE)
        raise(number);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    bool const is_sent = info->si_code <= 0;
    if (is_sent && info->si_pid != getpid())
        passed_signals_keep(number, info->si_value.sival_ptr);
    else if (number != SIGPIPE && number != SIGXFSZ) /* a full disk, to us */
        end_as_before(number);
}

void passed_signals_catch_faults(void)
{
    static const int faults[] = {SIGABRT, SIGBUS,  SIGFPE,  SIGILL,  SIGSEGV,
                                 SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGPIPE};
    struct sigaction const action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigaction(faults[i], &action, &before[faults[i]]);
}

static void send_one(pid_t pid, int number, void *value)
{
    union sigval const with = {.sival_ptr = value};
    if (keeper_is_used()) /* who knows the program */
        (void)keeper_send_signal(number, (int64_t)(intptr_t)value);
    else if (number < SIGRTMIN)
        kill(pid, number);
    else
        sigqueue(pid, number, with);
}

static void send_queue(pid_t pid)
{
    for (uint32_t at = queue_begin; at != queue_end; queue_begin = ++at) {
        int const number = queue[at % PASSED_SIGNALS_QUEUED].number;
        void *const value = queue[at % PASSED_SIGNALS_QUEUED].value;
        if (number == 0)
            return; /* its handler is about to write it */
        queue[at % PASSED_SIGNALS_QUEUED].number = 0;
        send_one(pid, number, value);
    }
}

static void send_others(pid_t pid, int number)
{
    void *const value = last_value[number];
    uint32_t count = atomic_exchange(&others[number], 0);
    if (count > 0 && number < SIGRTMIN)
        count = 1;
    for (uint32_t i = 0; i < count; i++)
        send_one(pid, number, value);
}

void passed_signals_send(pid_t pid)
{
    send_queue(pid);
    for (int number = 1; number < NSIG; number++) {
        if (others[number])
            send_others(pid, number);
    }
}
