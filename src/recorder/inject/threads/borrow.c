/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/borrow.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "inject/threads/thread_rank.h"
#include "inject/threads/thread_registers.h"
#include "procfs/process/process_status.h"

#define STOP_WAIT_NS 20000000ull
#define NAP_FIRST_NS 500000ull
#define NAP_MOST_NS  20000000ull
#define PREPARES_MAX 64 /* objects of one stack */
#define STUCK_MAX    16
/* nor may anybody trace threads that end, as all do before an exec */
#define DENIED_NS 50000000ull

struct borrow_search {
    struct module_client *modules;
    const struct code_spots *spots;
    struct borrowed_thread *borrowed;
    struct borrow_report *report;
    const char *advice;
    pid_t stuck[STUCK_MAX]; /* would not stop; ours until they do */
    unsigned stuck_count;
};

static void forget_stuck(struct borrow_search *search)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < search->stuck_count; i++)
        if (!thread_stop_forget(search->stuck[i]))
            search->stuck[kept++] = search->stuck[i];
    search->stuck_count = kept;
}

static bool is_stuck(const struct borrow_search *search, pid_t tid)
{
    for (unsigned i = 0; i < search->stuck_count; i++)
        if (search->stuck[i] == tid)
            return true;
    return false;
}

static void release(struct borrow_search *search, struct stopped_thread *thread)
{
    uint64_t stopped = thread_release(thread);
    search->report->looked_ns += stopped;
    if (stopped > search->report->longest_ns)
        search->report->longest_ns = stopped;
}

static void count_verdict(struct borrow_search *search, const struct module_look *look)
{
    struct borrow_report *report = search->report;
    report->busy += look->verdict == STACK_BUSY;
    report->in_handler += look->verdict == STACK_IN_HANDLER;
    report->unknown += look->verdict == STACK_UNKNOWN || look->verdict == STACK_UNPREPARED;
    snprintf(report->busy_where, sizeof(report->busy_where), "%s", look->where);
}

/* One look.  0: borrowed.  -EAGAIN: not now.  1: an object had to be prepared, look again. */
static int look(struct borrow_search *search, pid_t tid)
{
    struct stopped_thread thread;
    struct user_regs_struct registers;
    struct module_look found = {.verdict = STACK_UNKNOWN};
    uint64_t numbered[REG_COUNT];
    int err = thread_stop(tid, STOP_WAIT_NS, &thread);
    if (err == -EAGAIN && search->stuck_count < STUCK_MAX) {
        search->stuck[search->stuck_count++] = tid;
        search->report->unstoppable++;
    }
    if (err < 0)
        return err;
    search->report->looks++;
    if (thread_registers(tid, &registers) && registers_are_64(&registers)) {
        registers_numbered(&registers, numbered);
        module_client_look(search->modules, numbered, &found);
    }
    if (found.verdict == STACK_FREE) {
        err = borrowed_begin(search->borrowed, thread, search->modules, search->spots);
        if (err < 0)
            release(search, &thread);
        return err == -EIO ? -EAGAIN : err;
    }
    release(search, &thread);
    if (search->modules->is_broken)
        return -EPROTO;
    err = found.verdict == STACK_UNPREPARED ? module_client_complete(search->modules, &found) : 0;
    if (err == 0) {
        count_verdict(search, &found);
        return -EAGAIN;
    }
    return err < 0 && err != -EPROTO ? -ESRCH : err;
}

/* Looks at a thread until all objects on its stack are known. */
static int look_closely(struct borrow_search *search, pid_t tid)
{
    int err = 1;
    if (is_stuck(search, tid))
        return -EAGAIN;
    for (int i = 0; err == 1 && i < PREPARES_MAX; i++)
        err = look(search, tid);
    return err == 1 ? -EAGAIN : err;
}

static int refused(struct borrow_search *search, struct fault *fault)
{
    const struct borrow_report *report = search->report;
    struct process_status status;
    if (report->looks + report->unstoppable == 0 &&
        process_status_read((uint32_t)search->modules->pid, 0, &status) == 0 && status.state == 'D')
        return fault_set(
            fault, -EBUSY,
            "%s (pid %d) is in an uninterruptible wait (state D), for example for a disk, a "
            "network file system or a vfork child; try again when the process runs",
            status.name, (int)search->modules->pid);
    if (process_status_read((uint32_t)search->modules->pid, 0, &status) == 0 && status.state == 'T')
        return fault_set(fault, -EBUSY,
                         "%s (pid %d) is stopped, so memoir cannot borrow a thread; continue the "
                         "process with kill -CONT %d, then %s",
                         status.name, (int)search->modules->pid, (int)search->modules->pid,
                         search->advice);
    return fault_set(
        fault, -EBUSY,
        "no thread of process %d can be borrowed safely: of %u attempts, %u found it in the loader "
        "or an allocator, %u in a signal handler, %u in code without unwind tables (last in %s), "
        "%u could not be stopped; %s",
        (int)search->modules->pid, report->looks + report->unstoppable, report->busy,
        report->in_handler, report->unknown, report->busy_where, report->unstoppable,
        search->advice);
}

/* It was allowed a moment ago: mostly somebody else came first, such as another memoir. */
static int forbidden(const struct borrow_search *search, struct fault *fault)
{
    struct ranked_thread *ranked = NULL;
    struct process_status status;
    uint32_t const pid = (uint32_t)search->modules->pid;
    uint32_t tracer = 0;
    size_t count = 0;
    if (thread_rank(pid, &ranked, &count) == 0) {
        for (size_t i = 0; i < count && !tracer; i++)
            if (process_status_read(pid, (uint32_t)ranked[i].tid, &status) == 0)
                tracer = status.tracer;
        free(ranked);
    }
    if (tracer)
        return fault_set(fault, -EPERM,
                         "process %u is traced by process %u, a debugger or another memoir that is "
                         "about to attach; try again when that has ended",
                         pid, tracer);
    return fault_set(fault, -EPERM,
                     "the kernel does not let memoir trace process %u: another tracer was faster, "
                     "or a security module forbids it; try again, and see memoir doctor %u",
                     pid, pid);
}

static int look_at_all(struct borrow_search *search, bool *permitted)
{
    int err = -EAGAIN;
    struct ranked_thread *ranked;
    size_t count;
    struct process_status status;
    uint32_t pid = (uint32_t)search->modules->pid;
    if (thread_rank(pid, &ranked, &count) < 0)
        return -ESRCH;
    if (count == 0 && (process_status_read(pid, 0, &status) < 0 || status.state == 'Z'))
        err = -ESRCH;
    *permitted |= count == 0; /* all of them wait for pages or the disk: nobody said no */
    for (size_t i = 0; i < count && err != 0 && err != -EPROTO; i++) {
        err = look_closely(search, ranked[i].tid);
        *permitted |= err != -EPERM;
        if (err == -EPERM ||
            err == -ESRCH) /* a thread of the kernel's in its midst, or one that ended */
            err = -EAGAIN;
    }
    free(ranked);
    return err;
}

int borrow_thread(const struct borrow_wish *wish, struct borrowed_thread *borrowed,
                  struct borrow_report *report, struct fault *fault)
{
    struct borrow_search search = {.modules = wish->modules,
                                   .spots = wish->spots,
                                   .borrowed = borrowed,
                                   .report = report,
                                   .advice = wish->advice ? wish->advice : "try again"};
    uint64_t start = monotonic_ns(), nap = NAP_FIRST_NS;
    bool permitted = false;
    int err = -EAGAIN;
    for (uint64_t spent = 0; spent < wish->patience_ns; spent = monotonic_ns() - start) {
        forget_stuck(&search);
        err = look_at_all(&search, &permitted);
        if (err == -EAGAIN && remote_memory_is_gone(wish->modules->memory))
            err = -ESRCH;
        if (err != -EAGAIN || (!permitted && spent > DENIED_NS))
            break;
        nanosleep(&(struct timespec){0, (long)nap}, NULL);
        nap = 2 * nap < NAP_MOST_NS ? 2 * nap : NAP_MOST_NS - nap / 2;
    }
    forget_stuck(&search); /* the rest is let go when this thread of ours ends */
    if (err == 0)
        return 0;
    if (err == -EPROTO)
        return module_client_judge(wish->modules, err, fault);
    if (err == -ESRCH)
        return fault_set(fault, err, "process %d ended meanwhile", (int)wish->modules->pid);
    if (!permitted)
        return forbidden(&search, fault);
    return refused(&search, fault);
}
