/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/confine_hooks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "machine/executables.h"
#include "machine/processor.h"
#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/hooks/syscall_entry.h"
#include "tracer/stacks/tables.h"
#include "tracer/rings/thread.h"
#include "wire/seccomp_filter.h"

#define HOOK __attribute__((visibility("default"), noinline))

/* Threads that are in the arena leave it within this time, or wait in vain for room. */
#define LEAVE_NS 500000000ull

#define ADDRESS 0x7f0000000000ull /* any */
#define FD      7u
#define PAGES   65536u
#define PRIVATE (MAP_PRIVATE | MAP_ANONYMOUS)
#define RW      (PROT_READ | PROT_WRITE)

struct own_call {
    int number;
    uint64_t arguments[4];
};

/* What tracing cannot be without. */
static const struct own_call always[] = {
    {SYS_futex, {ADDRESS, FUTEX_WAIT, 1, ADDRESS}},
    {SYS_futex, {ADDRESS, FUTEX_WAKE, 1}},
    {SYS_futex, {ADDRESS, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 0, ADDRESS}},
    {SYS_futex, {ADDRESS, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG}},
    {SYS_mmap, {0, PAGES, RW, PRIVATE}},
    {SYS_mmap, {ADDRESS, PAGES, PROT_READ, PRIVATE | MAP_FIXED}},
    {SYS_mremap, {ADDRESS, 0, PAGES, MREMAP_MAYMOVE}},
    {SYS_mremap, {ADDRESS, PAGES, PAGES, MREMAP_MAYMOVE | MREMAP_FIXED}},
    {SYS_munmap, {ADDRESS, PAGES}},
    {SYS_mprotect, {ADDRESS, PAGES, RW}},
    {SYS_madvise, {ADDRESS, PAGES, MADV_DONTDUMP}},
    {SYS_madvise, {ADDRESS, PAGES, MADV_DONTNEED}},
    {SYS_rt_sigprocmask, {~0ull, ADDRESS, 0, 8}},
    {SYS_prlimit64, {0, 0, 0, ADDRESS}},
    {SYS_clock_gettime, {1, ADDRESS}},
    {SYS_getpid, {0}},
    {SYS_gettid, {0}},
    {SYS_tgkill, {2, 2, 0}},
};

/* What a child, or the program that this one becomes, needs besides. */
static const struct own_call at_start[] = {
    {SYS_openat, {(uint64_t)AT_FDCWD, ADDRESS, O_RDONLY | O_CLOEXEC}},
    {SYS_openat, {(uint64_t)AT_FDCWD, ADDRESS, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY}},
    {SYS_close, {FD}},
    {SYS_read, {FD, ADDRESS, 255}},
    {SYS_pread64, {FD, ADDRESS, 255, 0}},
    {SYS_fstat, {FD, ADDRESS}},
    {SYS_newfstatat, {(uint64_t)AT_FDCWD, ADDRESS, ADDRESS, 0}},
    {SYS_faccessat2, {(uint64_t)AT_FDCWD, ADDRESS, R_OK, AT_EACCESS}},
    {SYS_readlinkat, {(uint64_t)AT_FDCWD, ADDRESS, ADDRESS, 255}},
    {SYS_mmap, {0, PAGES, RW, MAP_SHARED}},
    {SYS_mprotect, {ADDRESS, PAGES, PROT_READ | PROT_EXEC}},
    {SYS_madvise, {ADDRESS, PAGES, MADV_WIPEONFORK}},
    {SYS_arch_prctl, {0x5005, ADDRESS}},
    {SYS_getppid, {0}},
};

#define COUNT(calls) (sizeof(calls) / sizeof((calls)[0]))

/* What a call of the program's would leave us. */
enum leave { LEAVES_ALL, LEAVES_OLD, LEAVES_NOTHING };

static _Atomic bool is_confined;

bool tracer_is_confined(void)
{
    return atomic_load_explicit(&is_confined, memory_order_relaxed);
}

static bool is_readable(const void *start, size_t size)
{
    uint64_t const end = (uint64_t)start + size;
    if (end < (uint64_t)start || size < 8 || !raw_is_readable(end - 8))
        return false;
    for (uint64_t at = (uint64_t)start; at < end; at = (at | 4095) + 1)
        if (end - at >= 8 && !raw_is_readable(at))
            return false;
    return true;
}

static bool allows(const struct sock_fprog *filter, const struct own_call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct seccomp_data call = {.nr = calls[i].number, .arch = MACHINE_AUDIT};
        for (unsigned k = 0; k < COUNT(calls[i].arguments); k++)
            call.args[k] = calls[i].arguments[k];
        if (!seccomp_answer_allows(seccomp_filter_run(filter->filter, filter->len, &call)))
            return false;
    }
    return true;
}

/* One that the kernel cannot read it refuses; so it changes nothing. */
static enum leave ask_filter(const struct sock_fprog *filter)
{
    if (!is_readable(filter, sizeof(*filter)) || filter->len == 0 || filter->len > BPF_MAXINSNS ||
        !is_readable(filter->filter, filter->len * sizeof(*filter->filter)))
        return LEAVES_ALL;
    if (!allows(filter, always, COUNT(always)))
        return LEAVES_NOTHING;
    return allows(filter, at_start, COUNT(at_start)) ? LEAVES_ALL : LEAVES_OLD;
}

static bool may_confine(long number, long a)
{
    return number == SYS_seccomp || a == PR_SET_SECCOMP || a == PR_SET_TSC;
}

/* Strict mode takes the clock away as well. */
static enum leave foresee(long number, long a, long b, long c)
{
    bool const by_prctl = number == SYS_prctl;
    long const mode = by_prctl ? b : a + 1; /* SECCOMP_SET_MODE_... are one less */
    if (by_prctl && a == PR_SET_TSC)
        return b == PR_TSC_SIGSEGV ? LEAVES_NOTHING : LEAVES_ALL;
    if (mode == SECCOMP_MODE_STRICT)
        return by_prctl || (b == 0 && c == 0) ? LEAVES_NOTHING : LEAVES_ALL;
    return mode == SECCOMP_MODE_FILTER ? ask_filter((const struct sock_fprog *)c) : LEAVES_ALL;
}

/* Whether this process is traced; a child of fork that has not looked yet looks now, because it
 * may not later. */
static bool is_traced(void)
{
    return tracer_is_on() && (*tracer_process.alive != 0 || tracer_revive()) &&
           (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) == tracer_process.local_pid;
}

/* Nobody is in the arena afterwards, so nobody makes a call there that has become forbidden.
 * The call may be refused; then all is as it was. */
static long call_untraced(long number, const long *a)
{
    uint64_t const now = processor_ticks();
    if (!tracer_pause())
        return raw_syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    seats_wait_until_empty(tracer_process.local_pid, LEAVE_NS, false);
    tables_give_back();
    long const result = raw_syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result < 0) {
        tracer_resume();
    } else {
        atomic_store(&is_confined, true);
        atomic_store(&arena_process_at(tracer_process.arena, tracer_process.process)->confined_tsc,
                     now);
        tracer_close(false);
    }
    return result;
}

/* A system call that may confine the program, in place of libc's syscall(). */
long confining_call(long number, long a, long b, long c, long d, long e, long f)
{
    long const arguments[6] = {a, b, c, d, e, f};
    enum leave const leaves =
        may_confine(number, a) && is_traced() ? foresee(number, a, b, c) : LEAVES_ALL;
    long result;
    if (leaves == LEAVES_NOTHING) {
        result = call_untraced(number, arguments);
    } else {
        result = raw_syscall6(number, a, b, c, d, e, f);
        if (leaves == LEAVES_OLD && result >= 0)
            atomic_store(&is_confined, true);
    }
    if (result >= 0 || result < -4095)
        return result;
    errno = (int)-result;
    return -1;
}

long failed_call(long result)
{
    errno = (int)-result;
    return -1;
}

HOOK int prctl(int option, ...)
{
    va_list list;
    long a[4];
    va_start(list, option);
    for (unsigned i = 0; i < COUNT(a); i++)
        a[i] = va_arg(list, long);
    va_end(list);
    return (int)confining_call(SYS_prctl, option, a[0], a[1], a[2], a[3], 0);
}
