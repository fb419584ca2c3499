/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/library/injection.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "inject/choice/exit_status.h"
#include "inject/choice/limit_hint.h"
#include "inject/library/load_library.h"
#include "inject/library/pass_descriptors.h"
#include "inject/threads/tracing_thread.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"
#include "wire/arena.h"

#define PATIENCE_NS  5000000000ull
#define LIBC_WAIT_NS 2000000000ull
#define TRIES        50
#define NAP_NS       20000000l
#define EXEC_WAIT_NS 100000000ull
#define EXEC_NAP_NS  1000000l

bool injection_is_stale(const struct injection *injection)
{
    char target[2];
    return remote_memory_is_gone(&injection->memory) &&
           proc_read_link((uint32_t)injection->pid, PROC_EXE, target, sizeof(target)) >
               0 && /* which one that ends has no more */
           !process_has_ended(injection->pidfd);
}

/* The same, a moment later: before an exec the other threads end first, and then the memory
 * goes. */
static bool became_another(const struct injection *injection)
{
    uint64_t const start = monotonic_ns();
    while (!process_has_ended(injection->pidfd)) {
        if (injection_is_stale(injection))
            return true;
        if (monotonic_ns() - start > EXEC_WAIT_NS)
            return false;
        nanosleep(&(struct timespec){0, EXEC_NAP_NS}, NULL);
    }
    return false;
}

/* Things fail in many ways when the program is no more. */
static int judge_failure(const struct injection *injection, int err)
{
    bool const suspicious = err == -ESRCH || remote_memory_is_gone(&injection->memory);
    return suspicious && became_another(injection) ? -ESTALE : err;
}

/* Starts whoever reads its objects, and has them listed. */
static int open_modules(struct injection *injection)
{
    struct slice const own = {(const char *)injection->library->build_id,
                              injection->library->build_id_size};
    int err = module_client_open(&injection->modules, injection->pid, &injection->memory, own);
    if (err == 0)
        err = module_client_await_libc(&injection->modules, LIBC_WAIT_NS);
    return err;
}

/* One that the process has broken is of no use to take the hooks out again. */
static int reopen_modules(struct injection *injection, struct fault *fault)
{
    if (injection->modules.reader > 0 && !injection->modules.is_broken)
        return 0;
    module_client_close(&injection->modules);
    int const err = open_modules(injection);
    if (err < 0)
        fault_set(fault, err, "cannot look into process %d: %s", (int)injection->pid,
                  strerror(-err));
    return module_client_judge(&injection->modules, err, fault);
}

int injection_open(struct injection *injection, pid_t pid, const struct tracer_library *library,
                   struct fault *fault)
{
    memset(injection, 0, sizeof(*injection));
    injection->pid = pid;
    injection->library = library;
    injection->memory.fd = -1;
    injection->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (injection->pidfd < 0)
        return fault_set(fault, -errno, "cannot reach process %d: %s", (int)pid, strerror(errno));
    int err = remote_memory_open(&injection->memory, pid);
    bool const has_memory = err == 0;
    if (err == 0)
        err = open_modules(injection);
    if (err < 0)
        fault_set(fault, err, "cannot look into process %d: %s", (int)pid, strerror(-err));
    else
        err = module_client_spots(&injection->modules, &injection->spots, fault);
    err = module_client_judge(&injection->modules, err, fault);
    if (err < 0 && has_memory)
        err = judge_failure(injection, err);
    if (err < 0)
        injection_close(injection);
    else
        injection->loaded = injection->modules.has_own;
    return err;
}

void injection_close(struct injection *injection)
{
    module_client_close(&injection->modules);
    remote_memory_close(&injection->memory);
    if (injection->pidfd >= 0)
        close(injection->pidfd);
    injection->pidfd = -1;
}

static int begin(struct injection *injection, struct borrowed_thread *borrowed, const char *advice,
                 struct fault *fault)
{
    module_client_prepare(&injection->modules);
    uint64_t errno_location =
        module_client_function(&injection->modules, MODULE_IN_LIBC, "__errno_location");
    struct borrow_wish const wish = {&injection->modules, &injection->spots, PATIENCE_NS, advice};
    int err = borrow_thread(&wish, borrowed, &injection->times.looks, fault);
    if (err < 0)
        return err;
    injection->times.borrowed_tid = borrowed->thread.tid;
    injection->times.borrows++;
    err = borrowed_make_room(borrowed, errno_location, fault);
    if (err < 0)
        injection->times.borrowed_ns += borrowed_end(borrowed);
    return err;
}

static void end(struct injection *injection, struct borrowed_thread *borrowed)
{
    injection->times.borrowed_ns += borrowed_end(borrowed);
}

struct library_call {
    const char *name;
    uint64_t arguments[3];
    int64_t result;
};

/* Calls a function of our library there. */
static int call_library(struct injection *injection, struct borrowed_thread *borrowed,
                        struct library_call *call, struct fault *fault)
{
    uint64_t function = module_client_function(&injection->modules, MODULE_IN_OWN, call->name);
    uint64_t value;
    if (!function)
        return fault_set(fault, -ENOENT,
                         "memoir's library in process %d has no %s; install memoir again",
                         (int)injection->pid, call->name);
    int err = borrowed_call(borrowed, function, call->arguments, &value, fault);
    call->result = (int64_t)value;
    return err;
}

static int attach_result(const struct injection *injection, int64_t result, struct fault *fault)
{
    char hint[LIMIT_HINT_MAX] = "";
    if (result == -EBUSY)
        return fault_set(fault, -EBUSY,
                         "process %d is already recorded by another memoir; end that recording "
                         "with: memoir detach %d",
                         (int)injection->pid, (int)injection->pid);
    if (result == -ENOMEM)
        limit_hint(injection->pid, hint, sizeof(hint));
    if (result < 0)
        return fault_set(fault, (int)result, "the library could not start in process %d: %s%s",
                         (int)injection->pid, strerror((int)-result), hint);
    return 0;
}

/* Loads the library from its descriptor over there. */
static int load(struct injection *injection, struct borrowed_thread *borrowed,
                const struct passing *passing, struct fault *fault)
{
    int err = load_library(&injection->modules, borrowed, passing, fault);
    if (err == 0 && (module_client_refresh(&injection->modules) < 0 || !injection->modules.has_own))
        err = fault_set(fault, -EIO, "process %d loaded another library instead of memoir's",
                        (int)injection->pid);
    return err;
}

/* A thread under a filter might be killed for a call that others may make. */
static unsigned long flags_for(const struct injection *injection,
                               const struct borrowed_thread *borrowed)
{
    struct process_status status;
    int const err =
        process_status_read((uint32_t)injection->pid, (uint32_t)borrowed->thread.tid, &status);
    return err == 0 && status.seccomp == 0 ? ATTACH_MAY_BARRIER : 0;
}

static int attach(struct injection *injection, int arena_fd, struct fault *fault)
{
    static struct borrowed_thread borrowed; /* large; one at a time */
    bool const is_loaded = injection->modules.has_own;
    struct passing passing = {is_loaded ? 1 : 2, {arena_fd, injection->library->fd}, {-1, -1}};
    int err = begin(injection, &borrowed, "try again, or start it with memoir run", fault);
    if (err < 0)
        return err;
    err = pass_descriptors(&borrowed, injection->pidfd, &passing, fault);
    if (err == 0 && !is_loaded)
        err = load(injection, &borrowed, &passing, fault);
    struct library_call call = {
        "memoir_tracer_attach", {(uint64_t)passing.got[0], flags_for(injection, &borrowed)}, 0};
    if (err == 0)
        err = call_library(injection, &borrowed, &call, fault);
    if (err == 0)
        err = attach_result(injection, call.result, fault);
    if (err != -ETIMEDOUT && err != -ESRCH)
        close_passed(&borrowed, &passing);
    end(injection, &borrowed);
    injection->loaded = injection->modules.has_own;
    return module_client_judge(&injection->modules, err, fault);
}

/* In and out of an allocator inside the program, and what that took. */
static int set_jumps(struct injection *injection, bool on, struct fault *fault)
{
    struct code_jumps_report report;
    int err = code_jumps_set(&injection->modules, on, &report, fault);
    if (report.stopped_ns > injection->times.looks.longest_ns)
        injection->times.looks.longest_ns = report.stopped_ns;
    return err;
}

static int detach_once(struct injection *injection, int64_t *result, struct fault *fault)
{
    static struct borrowed_thread borrowed;
    char advice[96];
    snprintf(advice, sizeof(advice),
             "remove the hooks with memoir detach %d; until then they do nothing",
             (int)injection->pid);
    int err = begin(injection, &borrowed, advice, fault);
    if (err < 0)
        return err;
    struct library_call call = {"memoir_tracer_detach", {flags_for(injection, &borrowed)}, 0};
    err = call_library(injection, &borrowed, &call, fault);
    *result = call.result;
    end(injection, &borrowed);
    return err;
}

static int detach(struct injection *injection, struct fault *fault)
{
    int64_t result = -EAGAIN;
    if (module_client_refresh(&injection->modules) < 0)
        return module_client_judge(
            &injection->modules,
            fault_set(fault, -ESRCH, "process %d ended meanwhile", (int)injection->pid), fault);
    if (!injection->modules.has_own)
        return 0;
    int jumps = set_jumps(injection, false, fault);
    for (int i = 0; i < TRIES && result == -EAGAIN; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        int err = detach_once(injection, &result, fault);
        if (err < 0)
            return err;
    }
    if (result < 0)
        return fault_set(fault, (int)result,
                         "the hooks in process %d could not be removed (%s): they stay and do "
                         "nothing; try memoir detach %d later",
                         (int)injection->pid, strerror((int)-result), (int)injection->pid);
    return jumps;
}

struct injection_job {
    struct injection *injection;
    int arena_fd;
    struct fault *fault;
};

static int attach_job(void *context)
{
    struct injection_job *job = context;
    int err = -EAGAIN;
    for (int i = 0; i < TRIES && err == -EAGAIN; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){0, NAP_NS}, NULL);
        err = attach(job->injection, job->arena_fd, job->fault);
    }
    return err;
}

static int detach_job(void *context)
{
    struct injection_job *job = context;
    return detach(job->injection, job->fault);
}

int injection_attach(struct injection *injection, int arena_fd, struct fault *fault)
{
    struct fault ignored;
    int err = reopen_modules(injection, fault);
    if (err == 0)
        err = tracing_thread_run(attach_job, &(struct injection_job){injection, arena_fd, fault});
    if (err < 0)
        return judge_failure(injection, err);
    err = set_jumps(injection, true, fault);
    if (err < 0)
        err = judge_failure(injection, err);
    if (err < 0 && err != -ESTALE)
        (void)injection_detach(injection, &ignored);
    return err;
}

int injection_detach(struct injection *injection, struct fault *fault)
{
    int err = reopen_modules(injection, fault);
    if (err == 0)
        err = tracing_thread_run(detach_job, &(struct injection_job){injection, -1, fault});
    module_client_close(&injection->modules);
    if (err < 0 && judge_failure(injection, err) == -ESTALE)
        return 0; /* the hooks went with the program that had them */
    return err;
}
