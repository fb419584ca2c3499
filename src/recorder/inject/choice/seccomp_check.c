/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/seccomp_check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "inject/threads/thread_rank.h"
#include "inject/threads/thread_stop.h"
#include "inject/threads/tracing_thread.h"
#include "machine/executables.h"
#include "procfs/process/process_status.h"
#include "wire/seccomp_filter.h"

#define STOP_WAIT_NS 50000000ull
#define THREADS_MAX  256u

struct needed_call {
    const char *name;
    int number;
    uint64_t arguments[6];
};

#define FD      7u /* any */
#define ADDRESS 0x7f0000000000ull
#define PAGES   65536u

static const struct needed_call needed[] = {
    {"mmap", SYS_mmap, {0, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0}},
    {"mmap at an address",
     SYS_mmap,
     {ADDRESS, PAGES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
      ~0ull, 0}},
    {"mmap of code",
     SYS_mmap,
     {ADDRESS, PAGES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, FD, 0}},
    {"mmap of shared memory", SYS_mmap, {0, PAGES, PROT_READ | PROT_WRITE, MAP_SHARED, FD, 0}},
    {"munmap", SYS_munmap, {ADDRESS, PAGES}},
    {"mprotect", SYS_mprotect, {ADDRESS, 4096, PROT_READ | PROT_WRITE}},
    {"madvise", SYS_madvise, {ADDRESS, 4096, MADV_WIPEONFORK}},
    {"openat", SYS_openat, {(uint64_t)AT_FDCWD, ADDRESS, O_RDONLY | O_CLOEXEC}},
    {"read", SYS_read, {FD, ADDRESS, 832}},
    {"pread64", SYS_pread64, {FD, ADDRESS, 784, 64}},
    {"newfstatat", SYS_newfstatat, {FD, ADDRESS, ADDRESS, AT_EMPTY_PATH}},
    {"fstat", SYS_fstat, {FD, ADDRESS}},
    {"close", SYS_close, {FD}},
    {"faccessat", SYS_faccessat, {(uint64_t)AT_FDCWD, ADDRESS, 4}},
    {"readlinkat", SYS_readlinkat, {(uint64_t)AT_FDCWD, ADDRESS, ADDRESS, 256}},
    {"socketpair", SYS_socketpair, {AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ADDRESS}},
    {"recvmsg", SYS_recvmsg, {FD, ADDRESS, MSG_CMSG_CLOEXEC | MSG_DONTWAIT}},
    {"futex", SYS_futex, {ADDRESS, FUTEX_WAIT, 1, ADDRESS}},
    {"clock_gettime", SYS_clock_gettime, {1, ADDRESS}},
    {"getpid", SYS_getpid, {0}},
    {"getppid", SYS_getppid, {0}},
    {"gettid", SYS_gettid, {0}},
    {"tgkill", SYS_tgkill, {2, 2, SIGWINCH}},
    {"rt_sigreturn", SYS_rt_sigreturn, {0}},
};

/* What a file takes beside those. */
static const struct needed_call for_files[] = {
    {"making files",
     SYS_openat,
     {(uint64_t)AT_FDCWD, ADDRESS, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0500}},
    {"sendfile", SYS_sendfile, {FD, FD, ADDRESS, PAGES}},
    {"unlinkat", SYS_unlinkat, {(uint64_t)AT_FDCWD, ADDRESS, 0}},
};

struct call_list {
    const struct needed_call *calls;
    size_t count;
};
static const struct call_list always = {needed, sizeof(needed) / sizeof(needed[0])};
static const struct call_list files = {for_files, sizeof(for_files) / sizeof(for_files[0])};

/* The first of the calls that a filter forbids, or NULL. */
static const struct needed_call *find_forbidden(const struct sock_filter *code, size_t length,
                                                const struct call_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): both lists have calls */
        struct seccomp_data call = {.nr = list->calls[i].number, .arch = MACHINE_AUDIT};
        memcpy(call.args, list->calls[i].arguments, sizeof(call.args));
        if (!seccomp_answer_allows(seccomp_filter_run(code, length, &call)))
            return &list->calls[i];
    }
    return NULL;
}

/* All filters of one stopped thread.  0, -EPERM with *forbidden, or why they cannot be read. */
static int look_at_filters(pid_t tid, const struct call_list *list,
                           const struct needed_call **forbidden)
{
    struct sock_filter code[BPF_MAXINSNS];
    for (unsigned long i = 0;; i++) {
        long length = ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, NULL);
        if (length < 0)
            return errno == ENOENT ? 0 : -EACCES; /* ENOENT: there are no more */
        if (length > BPF_MAXINSNS || ptrace(PTRACE_SECCOMP_GET_FILTER, tid, i, code) != length)
            return -EACCES;
        *forbidden = find_forbidden(code, (size_t)length, list);
        if (*forbidden)
            return -EPERM;
    }
}

static int look_at_thread(pid_t pid, pid_t tid, const struct needed_call **forbidden)
{
    struct process_status status;
    struct stopped_thread thread;
    if (process_status_read((uint32_t)pid, (uint32_t)tid, &status) < 0 ||
        status.seccomp != SECCOMP_MODE_FILTER || thread_stop(tid, STOP_WAIT_NS, &thread) < 0)
        return 0;
    int err = look_at_filters(tid, &always, forbidden);
    thread_release(&thread);
    return err;
}

struct seccomp_check {
    pid_t pid;
    const struct needed_call *forbidden;
};

static int look_at_all(void *context)
{
    struct seccomp_check *check = context;
    struct ranked_thread *threads;
    size_t count;
    int err = thread_rank((uint32_t)check->pid, &threads, &count);
    if (err < 0)
        return 0; /* it ended: found out soon enough */
    for (size_t i = 0; i < count && i < THREADS_MAX && err == 0; i++)
        err = look_at_thread(check->pid, threads[i].tid, &check->forbidden);
    free(threads);
    return err;
}

const char *seccomp_forbids_files(pid_t tid)
{
    struct process_status status;
    const struct needed_call *forbidden = NULL;
    if (process_status_read((uint32_t)tid, (uint32_t)tid, &status) < 0)
        return NULL;
    if (status.seccomp != SECCOMP_MODE_FILTER)
        return NULL;
    int const err = look_at_filters(tid, &files, &forbidden);
    return forbidden ? forbidden->name : err < 0 ? "something that only root may read" : NULL;
}

int seccomp_check(pid_t pid, struct fault *fault)
{
    struct seccomp_check check = {pid, NULL};
    int err = tracing_thread_run(look_at_all, &check);
    if (err == -EPERM)
        return fault_set(fault, err,
                         "the seccomp filter of process %d forbids %s, which recording needs; "
                         "allow it there, or start the "
                         "program without the filter under memoir run",
                         (int)pid, check.forbidden->name);
    if (err < 0)
        return fault_set(fault, err,
                         "process %d has a seccomp filter, and only root may read it to know "
                         "whether attaching is safe; "
                         "run memoir as root: sudo memoir attach %d",
                         (int)pid, (int)pid);
    return 0;
}
