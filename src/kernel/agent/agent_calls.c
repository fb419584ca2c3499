/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "machine/executables.h"

/* Which values of an argument are allowed. */
enum rule {
    ANY,     /* the argument is not looked at */
    EQUAL,   /* one row per value */
    NO_BITS, /* none of these bits */
};

/* Rows of one call stand together.  Arguments are compared by their lower halves: all of these are
 * int or unsigned in the kernel, but for the protection of memory, whose upper half has no bits. */
static const struct agent_call {
    uint32_t call;
    uint8_t argument, rule;
    uint32_t value;
} rows[] = {
    /* Peers. */
    {SYS_poll, 0, ANY, 0},
    {SYS_ppoll, 0, ANY, 0},
    {SYS_accept4, 0, ANY, 0},
    {SYS_getsockopt, 0, ANY, 0},
    {SYS_recvmsg, 0, ANY, 0},
    {SYS_sendmsg, 0, ANY, 0},
    /* Descriptors, which files of /proc are among; none is ever opened to be written to. */
    {SYS_openat, 2, NO_BITS, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC},
    {SYS_read, 0, ANY, 0},
    {SYS_write, 0, EQUAL, 2},
    {SYS_writev, 0, EQUAL, 2},
    {SYS_close, 0, ANY, 0},
    {SYS_fstat, 0, ANY, 0},
    {SYS_newfstatat, 0, ANY, 0},
    {SYS_lseek, 0, ANY, 0},
    {SYS_fcntl, 1, EQUAL, F_DUPFD_CLOEXEC},
    {SYS_fcntl, 1, EQUAL, F_GETFD},
    {SYS_fcntl, 1, EQUAL, F_SETFD},
    {SYS_unlink, 0, ANY, 0},
    /* BPF: maps, and our own programs to their events; no program can be loaded any more. */
    {SYS_bpf, 0, EQUAL, BPF_MAP_CREATE},
    {SYS_bpf, 0, EQUAL, BPF_MAP_LOOKUP_ELEM},
    {SYS_bpf, 0, EQUAL, BPF_MAP_UPDATE_ELEM},
    {SYS_bpf, 0, EQUAL, BPF_MAP_DELETE_ELEM},
    {SYS_bpf, 0, EQUAL, BPF_MAP_GET_NEXT_KEY},
    {SYS_bpf, 0, EQUAL, BPF_OBJ_GET_INFO_BY_FD},
    {SYS_bpf, 0, EQUAL, BPF_RAW_TRACEPOINT_OPEN},
    {SYS_bpf, 0, EQUAL, BPF_LINK_CREATE},
    {SYS_bpf, 0, EQUAL, BPF_LINK_DETACH},
    {SYS_bpf, 0, EQUAL, BPF_ITER_CREATE},
    {SYS_perf_event_open, 0, ANY, 0},
    {SYS_ioctl, 1, EQUAL, PERF_EVENT_IOC_SET_BPF},
    {SYS_ioctl, 1, EQUAL, PERF_EVENT_IOC_ENABLE},
    {SYS_ioctl, 1, EQUAL, PERF_EVENT_IOC_DISABLE},
    /* Memory, never code. */
    {SYS_mmap, 2, NO_BITS, PROT_EXEC},
    {SYS_mprotect, 2, NO_BITS, PROT_EXEC},
    {SYS_munmap, 0, ANY, 0},
    {SYS_mremap, 0, ANY, 0},
    {SYS_madvise, 0, ANY, 0},
    {SYS_brk, 0, ANY, 0},
    /* Itself. */
    {SYS_clock_gettime, 0, ANY, 0},
    {SYS_getpid, 0, ANY, 0},
    {SYS_gettid, 0, ANY, 0},
    {SYS_futex, 0, ANY, 0},
    {SYS_getrandom, 0, ANY, 0},
    {SYS_rt_sigprocmask, 0, ANY, 0},
    {SYS_rt_sigreturn, 0, ANY, 0},
    {SYS_restart_syscall, 0, ANY, 0},
    {SYS_exit, 0, ANY, 0},
    {SYS_exit_group, 0, ANY, 0},
#ifdef __SANITIZE_ADDRESS__
    {SYS_sched_yield, 0, ANY, 0},
    {SYS_sigaltstack, 0, ANY, 0},
    {SYS_readlink, 0, ANY, 0},
    {SYS_clone, 0, ANY, 0},
    {SYS_wait4, 0, ANY, 0},
    {SYS_ptrace, 0, ANY, 0},
    {SYS_prctl, 0, ANY, 0},
    {SYS_getppid, 0, ANY, 0},
    {SYS_getdents64, 0, ANY, 0},
    {SYS_open, 0, ANY, 0},
    {SYS_nanosleep, 0, ANY, 0},
    {SYS_rt_sigaction, 0, ANY, 0},
    {SYS_sched_getaffinity, 0, ANY, 0},
    {SYS_getrlimit, 0, ANY, 0},
    {SYS_pipe, 0, ANY, 0},
#endif
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* A row is at most: is it this call, load the argument, compare, yes, load the call again. */
#define PER_ROW 5u
static struct sock_filter filter[4 + ROWS * PER_ROW + 1];

static void add(size_t *count, uint16_t code, uint32_t k, uint8_t if_so, uint8_t if_not)
{
    filter[(*count)++] = (struct sock_filter){code, if_so, if_not, k};
}

static void load(size_t *count, size_t from)
{
    add(count, BPF_LD | BPF_W | BPF_ABS, (uint32_t)from, 0, 0);
}

static void add_row(size_t *count, const struct agent_call *row)
{
    if (row->rule == ANY) {
        add(count, BPF_JMP | BPF_JEQ | BPF_K, row->call, 0, 1);
        add(count, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
        return;
    }
    add(count, BPF_JMP | BPF_JEQ | BPF_K, row->call, 0, 4);
    load(count, offsetof(struct seccomp_data, args) + row->argument * sizeof(uint64_t));
    if (row->rule == EQUAL)
        add(count, BPF_JMP | BPF_JEQ | BPF_K, row->value, 0, 1);
    else
        add(count, BPF_JMP | BPF_JSET | BPF_K, row->value, 1, 0);
    add(count, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    load(count, offsetof(struct seccomp_data, nr));
}

const struct sock_filter *agent_call_filter(size_t *count)
{
    *count = 0;
    load(count, offsetof(struct seccomp_data, arch));
    add(count, BPF_JMP | BPF_JEQ | BPF_K, MACHINE_AUDIT, 1, 0);
    add(count, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    load(count, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < ROWS; i++)
        add_row(count, &rows[i]);
    add(count, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    return filter;
}

int agent_limit_calls(struct fault *fault)
{
    size_t count;
    const struct sock_filter *made = agent_call_filter(&count);
    struct sock_fprog program = {.len = (unsigned short)count,
                                 .filter = (struct sock_filter *)made};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
        return 0;
    return fault_set(fault, -errno, "the agent cannot limit its system calls (seccomp): %s",
                     strerror(errno));
}
