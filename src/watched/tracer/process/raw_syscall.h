/* raw_syscall.h - system calls that do not change errno, because a hooked free() must not. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "machine/system_call.h"

#define raw_syscall6                  system_call
#define raw_syscall3(number, a, b, c) raw_syscall6(number, a, b, c, 0, 0, 0)

/* Returns whether the eight bytes at `address` can be read: the kernel copies the mask before it
 * checks the first argument, so the result is EINVAL (readable) or EFAULT.  Every sandbox allows
 * this call. */
static inline int raw_is_readable(uint64_t address)
{
    return raw_syscall6(SYS_rt_sigprocmask, -1, (long)address, 0, 8, 0, 0) == -22;
}

/* Returns whether the four bytes at `address` can be written: asks the kernel to add 0 to them, and
 * to wake no thread that waits there. */
static inline int raw_is_writable(uint64_t address)
{
    uint32_t nobody = 0;
    return raw_syscall6(SYS_futex, (long)&nobody, 128 | 5 /* private, FUTEX_WAKE_OP */, 0, 0,
                        (long)address, 1 << 28 /* FUTEX_OP_ADD of 0 */) >= 0;
}

/* Sleeps, but not by nanosleep: a thread that was borrowed while it waited with a time limit
 * resumes its wait by the kernel's note of the time left, which nanosleep would overwrite. */
static inline void raw_nap(long ns)
{
    uint32_t word = 0;
    struct timespec limit = {0, ns};
    raw_syscall6(SYS_futex, (long)&word, 128 /* private, FUTEX_WAIT */, 0, (long)&limit, 0, 0);
}

/* Makes whole pages zero: the kernel takes them back, unless the program has locked them. */
static inline void raw_zero_pages(void *pages, unsigned long size)
{
    if (raw_syscall3(SYS_madvise, (long)pages, (long)size, MADV_DONTNEED) < 0)
        memset(pages, 0, size);
}
