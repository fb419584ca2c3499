/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/call_table.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "sandbox/sandbox.h"

#define VALUES(list) .value_count = sizeof(list) / sizeof((list)[0]), .values = (list)
#define CALL(name, group)                                                                          \
    {                                                                                              \
        .number = SYS_##name, .needs = (group)                                                     \
    }
#define REFUSE(name, code)                                                                         \
    {                                                                                              \
        .number = SYS_##name, .verdict = CALL_REFUSED, .error = (code)                             \
    }

/* Kept from: signals to others by way of F_SETOWN. */
static const uint32_t descriptor_orders[] = {
    F_DUPFD, F_GETFD, F_SETFD,  F_GETFL,     F_SETFL,     F_DUPFD_CLOEXEC, F_ADD_SEALS,
    F_GETLK, F_SETLK, F_SETLKW, F_OFD_GETLK, F_OFD_SETLK, F_OFD_SETLKW,    F_GET_SEALS,
};
static const uint32_t device_orders[] = {TCGETS, TIOCGWINSZ, FIONREAD};
/* And of perf events, the one of /proc/PID/pagemap, and how the process of a pidfd has ended. */
static const uint32_t event_orders[] = {
    TCGETS,
    TIOCGWINSZ,
    FIONREAD,
    PERF_EVENT_IOC_SET_OUTPUT,
    PERF_EVENT_IOC_ID,
    PERF_EVENT_IOC_PERIOD,
    _IOC(_IOC_READ | _IOC_WRITE, 'f', 16, 96),
    _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, 64),
};
static const uint32_t process_orders[] = {PR_SET_NAME, PR_GET_NAME, PR_SET_VMA, PR_SET_PDEATHSIG,
                                          PR_GET_DUMPABLE};
static const uint32_t code[] = {PROT_EXEC};
static const uint32_t thread[] = {CLONE_THREAD};
static const uint32_t of_this_machine[] = {AF_UNIX};

const struct call_rule call_rules[] = {
    /* What is open: bytes. */
    CALL(read, 0),
    CALL(readv, 0),
    CALL(pread64, 0),
    CALL(preadv, 0),
    CALL(preadv2, 0),
    CALL(write, 0),
    CALL(writev, 0),
    CALL(pwrite64, 0),
    CALL(pwritev, 0),
    CALL(pwritev2, 0),
    CALL(lseek, 0),
    CALL(ftruncate, 0),
    CALL(fallocate, 0),
    CALL(fsync, 0),
    CALL(fdatasync, 0),
    CALL(sync_file_range, 0),
    CALL(fadvise64, 0),
    CALL(copy_file_range, 0),
    CALL(sendfile, 0),
    CALL(sendmsg, 0),
    CALL(recvmsg, 0),
    CALL(sendto, 0),
    CALL(recvfrom, 0),
    CALL(shutdown, 0),
    /* What is open: descriptors. */
    CALL(close, 0),
    CALL(close_range, 0),
    CALL(dup, 0),
    CALL(dup2, 0),
    CALL(dup3, 0),
    CALL(fstat, 0),
    CALL(newfstatat, 0),
    CALL(statx, 0),
    CALL(pipe, 0),
    CALL(pipe2, 0),
    CALL(memfd_create, 0),
    CALL(poll, 0),
    CALL(ppoll, 0),
    CALL(select, 0),
    CALL(pselect6, 0),
    {SYS_utimensat, 0, CALL_NULL, 1, .error = EPERM}, /* of what is open */
    {SYS_fcntl, 0, CALL_ONE_OF, 1, .error = EPERM, VALUES(descriptor_orders)},
    {SYS_ioctl, SANDBOX_EVENTS, CALL_ONE_OF, 1, .error = ENOTTY, VALUES(event_orders)},
    {SYS_ioctl, 0, CALL_ONE_OF, 1, .error = ENOTTY, VALUES(device_orders)},
    /* Memory; code only for those that start programs. */
    CALL(mmap, SANDBOX_CODE),
    CALL(mprotect, SANDBOX_CODE),
    {SYS_mmap, 0, CALL_HAS_NOT, 2, .error = EPERM, VALUES(code)},
    {SYS_mprotect, 0, CALL_HAS_NOT, 2, .error = EPERM, VALUES(code)},
    CALL(munmap, 0),
    CALL(mremap, 0),
    CALL(madvise, 0),
    CALL(brk, 0),
    CALL(msync, 0),
    CALL(mincore, 0),
    CALL(mlock, 0),
    CALL(munlock, 0),
    CALL(membarrier, 0),
    /* Threads, signals of its own, and the end. */
    CALL(clone, SANDBOX_CHILDREN),
    {SYS_clone, 0, CALL_HAS, 0, .error = EPERM, VALUES(thread)},
    REFUSE(clone3, ENOSYS), /* says what it wants where no filter sees it; libc then uses clone */
    CALL(futex, 0),
    CALL(set_robust_list, 0),
    CALL(rseq, 0),
    CALL(set_tid_address, 0),
    CALL(sched_yield, 0),
    CALL(sched_getaffinity, 0),
    CALL(getcpu, 0),
    CALL(gettid, 0),
    CALL(rt_sigaction, 0),
    CALL(rt_sigprocmask, 0),
    CALL(rt_sigreturn, 0),
    CALL(sigaltstack, 0),
    CALL(rt_sigpending, 0),
    CALL(rt_sigtimedwait, 0),
    CALL(rt_sigsuspend, 0),
    CALL(pause, 0),
    CALL(restart_syscall, 0),
    CALL(exit, 0),
    CALL(exit_group, 0),
    CALL(tgkill, SANDBOX_CHILDREN),
    CALL(kill, SANDBOX_CHILDREN),
    {SYS_tgkill, 0, CALL_OWN, 0, .error = EPERM},
    {SYS_kill, 0, CALL_OWN, 0, .error = EPERM},
    /* Clocks, numbers, facts about itself. */
    CALL(clock_gettime, 0),
    CALL(clock_getres, 0),
    CALL(gettimeofday, 0),
    CALL(time, 0),
    CALL(nanosleep, 0),
    CALL(clock_nanosleep, 0),
    CALL(times, 0),
    CALL(getrandom, 0),
    CALL(getpid, 0),
    CALL(getppid, 0),
    CALL(getuid, 0),
    CALL(geteuid, 0),
    CALL(getgid, 0),
    CALL(getegid, 0),
    CALL(getresuid, 0),
    CALL(getresgid, 0),
    CALL(getgroups, 0),
    CALL(getpgrp, 0),
    CALL(getpgid, 0),
    CALL(getsid, 0),
    CALL(uname, 0),
    CALL(sysinfo, 0),
    CALL(getrusage, 0),
    CALL(getrlimit, 0),
    CALL(getpriority, 0),
    CALL(umask, 0),
    CALL(prlimit64, SANDBOX_PROGRAMS),
    CALL(prlimit64, SANDBOX_AGAIN),
    {SYS_prlimit64, 0, CALL_NULL, 2, .error = EPERM},
    CALL(prctl, SANDBOX_PROGRAMS),
    CALL(prctl, SANDBOX_AGAIN),
    {SYS_prctl, 0, CALL_ONE_OF, 0, .error = EPERM, VALUES(process_orders)},
    /* Files by name: SANDBOX_FILES. */
    CALL(open, SANDBOX_FILES),
    CALL(openat, SANDBOX_FILES),
    CALL(openat2, SANDBOX_FILES),
    CALL(creat, SANDBOX_FILES),
    CALL(stat, SANDBOX_FILES),
    CALL(lstat, SANDBOX_FILES),
    CALL(access, SANDBOX_FILES),
    CALL(faccessat, SANDBOX_FILES),
    CALL(faccessat2, SANDBOX_FILES),
    CALL(readlink, SANDBOX_FILES),
    CALL(readlinkat, SANDBOX_FILES),
    CALL(getcwd, SANDBOX_FILES),
    CALL(getdents64, SANDBOX_FILES),
    CALL(statfs, SANDBOX_FILES),
    CALL(fstatfs, SANDBOX_FILES),
    CALL(rename, SANDBOX_FILES),
    CALL(renameat, SANDBOX_FILES),
    CALL(renameat2, SANDBOX_FILES),
    CALL(unlink, SANDBOX_FILES),
    CALL(unlinkat, SANDBOX_FILES),
    CALL(link, SANDBOX_FILES),
    CALL(linkat, SANDBOX_FILES),
    CALL(mkdir, SANDBOX_FILES),
    CALL(mkdirat, SANDBOX_FILES),
    CALL(rmdir, SANDBOX_FILES),
    CALL(fchmod, SANDBOX_FILES),
    CALL(fchown, SANDBOX_FILES),
    CALL(flock, SANDBOX_FILES),
    CALL(truncate, SANDBOX_FILES),
    /* Without SANDBOX_FILES: libc looks for processors, character sets and the like, and goes on
     * without. */
    REFUSE(open, EPERM),
    REFUSE(openat, EPERM),
    REFUSE(access, EPERM),
    REFUSE(readlink, EPERM),
    REFUSE(stat, EPERM),
    REFUSE(lstat, EPERM),
    REFUSE(faccessat2, ENOSYS),
    /* SANDBOX_CHILDREN */
    CALL(fork, SANDBOX_CHILDREN),
    CALL(vfork, SANDBOX_CHILDREN),
    CALL(wait4, SANDBOX_CHILDREN),
    CALL(waitid, SANDBOX_CHILDREN),
    CALL(setpgid, SANDBOX_CHILDREN),
    CALL(setsid, SANDBOX_CHILDREN),
    CALL(pidfd_send_signal, SANDBOX_CHILDREN),
    /* SANDBOX_PROGRAMS */
    CALL(execve, SANDBOX_PROGRAMS),
    CALL(execveat, SANDBOX_PROGRAMS),
    CALL(arch_prctl, SANDBOX_PROGRAMS),
    CALL(chdir, SANDBOX_PROGRAMS),
    CALL(fchdir, SANDBOX_PROGRAMS),
    CALL(setrlimit, SANDBOX_PROGRAMS),
    CALL(seccomp, SANDBOX_PROGRAMS),
    CALL(landlock_create_ruleset, SANDBOX_PROGRAMS),
    CALL(landlock_add_rule, SANDBOX_PROGRAMS),
    CALL(landlock_restrict_self, SANDBOX_PROGRAMS),
    CALL(capget, SANDBOX_PROGRAMS),
    CALL(capset, SANDBOX_PROGRAMS),
    /* SANDBOX_AGAIN: all that takes rights away */
    CALL(setrlimit, SANDBOX_AGAIN),
    CALL(seccomp, SANDBOX_AGAIN),
    CALL(landlock_create_ruleset, SANDBOX_AGAIN),
    CALL(landlock_add_rule, SANDBOX_AGAIN),
    CALL(landlock_restrict_self, SANDBOX_AGAIN),
    CALL(capget, SANDBOX_AGAIN),
    CALL(capset, SANDBOX_AGAIN),
    /* SANDBOX_EVENTS */
    CALL(epoll_create1, SANDBOX_EVENTS),
    CALL(epoll_ctl, SANDBOX_EVENTS),
    CALL(epoll_wait, SANDBOX_EVENTS),
    CALL(epoll_pwait, SANDBOX_EVENTS),
    CALL(eventfd2, SANDBOX_EVENTS),
    CALL(signalfd4, SANDBOX_EVENTS),
    CALL(timerfd_create, SANDBOX_EVENTS),
    CALL(timerfd_settime, SANDBOX_EVENTS),
    CALL(timerfd_gettime, SANDBOX_EVENTS),
    CALL(timer_create, SANDBOX_EVENTS),
    CALL(timer_settime, SANDBOX_EVENTS),
    CALL(timer_delete, SANDBOX_EVENTS),
    CALL(setitimer, SANDBOX_EVENTS),
    CALL(alarm, SANDBOX_EVENTS),
    CALL(accept, SANDBOX_EVENTS),
    CALL(accept4, SANDBOX_EVENTS),
    CALL(listen, SANDBOX_EVENTS),
    CALL(getsockopt, SANDBOX_EVENTS),
    CALL(setsockopt, SANDBOX_EVENTS),
    CALL(getsockname, SANDBOX_EVENTS),
    CALL(getpeername, SANDBOX_EVENTS),
    CALL(sched_setscheduler, SANDBOX_EVENTS),
    CALL(sched_getscheduler, SANDBOX_EVENTS),
    CALL(sched_getparam, SANDBOX_EVENTS),
    CALL(sched_setattr, SANDBOX_EVENTS),
    CALL(sched_getattr, SANDBOX_EVENTS),
    CALL(sched_setaffinity, SANDBOX_EVENTS),
    CALL(setpriority, SANDBOX_EVENTS),
    CALL(pidfd_open, SANDBOX_EVENTS), /* shows that a process ended, and no more */
    {SYS_socketpair, SANDBOX_PROGRAMS, CALL_ONE_OF, 0, .error = EPERM, VALUES(of_this_machine)},
    {SYS_socketpair, SANDBOX_EVENTS, CALL_ONE_OF, 0, .error = EPERM, VALUES(of_this_machine)},
};
const size_t call_rule_count = sizeof(call_rules) / sizeof(call_rules[0]);
