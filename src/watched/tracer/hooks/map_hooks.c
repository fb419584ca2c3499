/* SPDX-License-Identifier: Apache-2.0 */
/* map_hooks.c - records memory that the program gets from the kernel itself, and notices libraries
 * that are unloaded. */
/* Both names of each function are ours to define; off_t has 64 bits anyway. */
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/process/raw_syscall.h"
#include "tracer/process/real.h"
#include "tracer/rings/record.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/thread.h"
#include "tracer/stacks/tables.h"

#define HOOK __attribute__((visibility("default"), noinline))
#define HERE __builtin_frame_address(0)

static uint64_t whole_pages(size_t length)
{
    return (length + 4095u) & ~(size_t)4095;
}

static void note_map(void *address, size_t length, void *frame)
{
    if (arena_enter()) {
        record_map(address, length, frame);
        arena_leave();
    }
}

/* The epoch in which the beginning was recorded; 0: it was not. */
static uint64_t note_unmap(void *address, size_t length)
{
    uint64_t epoch = 0;
    if (arena_enter()) {
        if (record_unmap(address, length))
            epoch = tracer_self.epoch;
        arena_leave();
    }
    return epoch;
}

static void note_unmapped(uint64_t epoch, bool done)
{
    if (epoch && arena_enter()) {
        record_unmapped(tracer_self.epoch == epoch, done);
        arena_leave();
    }
}

static void *direct_mmap(void *address, size_t length, int protection, int flags, int fd,
                         off_t offset)
{
    long result =
        raw_syscall6(SYS_mmap, (long)address, (long)length, protection, flags, fd, offset);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return MAP_FAILED;
    }
    return (void *)result;
}

HOOK void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (unlikely(!tracer_enter_if_idle()))
        return direct_mmap(address, length, protection, flags, fd, offset);
    void *mapped = direct_mmap(address, length, protection, flags, fd, offset);
    if (unlikely(mapped == MAP_FAILED && errno == ENOMEM && tables_yield()))
        mapped = direct_mmap(address, length, protection, flags, fd, offset);
    if (mapped != MAP_FAILED)
        note_map(mapped, whole_pages(length), HERE);
    tracer_leave();
    return mapped;
}

HOOK void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
    __attribute__((alias("mmap")));

/* A result of the kernel as libc gives it. */
static long with_errno(long result)
{
    if (result >= 0 || result <= -4096)
        return result;
    errno = (int)-result;
    return -1;
}

HOOK int munmap(void *address, size_t length)
{
    if (unlikely(!tracer_enter_if_idle()))
        return (int)with_errno(raw_syscall3(SYS_munmap, (long)address, (long)length, 0));
    uint64_t began = note_unmap(address, whole_pages(length));
    int result = (int)with_errno(raw_syscall3(SYS_munmap, (long)address, (long)length, 0));
    note_unmapped(began, result == 0);
    tracer_leave();
    return result;
}

HOOK void *mremap(void *old, size_t old_length, size_t length, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    long wanted = flags & MREMAP_FIXED ? (long)va_arg(arguments, void *) : 0;
    va_end(arguments);
    bool traced = tracer_enter_if_idle();
    uint64_t began = traced ? note_unmap(old, whole_pages(old_length)) : 0;
    void *mapped = (void *)with_errno(
        raw_syscall6(SYS_mremap, (long)old, (long)old_length, (long)length, flags, wanted, 0));
    if (!traced)
        return mapped;
    note_unmapped(began, mapped != MAP_FAILED && !(flags & MREMAP_DONTUNMAP));
    if (mapped != MAP_FAILED)
        note_map(mapped, whole_pages(length), HERE);
    tracer_leave();
    return mapped;
}

/* The break as a mapping: growth is mapped above the old end, shrinking unmaps from the new end. */
static void record_break(char *from, char *to, void *frame)
{
    if (to > from) {
        note_map(from, (size_t)(to - from), frame);
    } else if (to < from) {
        note_unmapped(note_unmap(to, (size_t)(from - to)), true);
    }
}

HOOK void *sbrk(intptr_t increment)
{
    if (!real.sbrk)
        tracer_revive();
    if (unlikely(!tracer_enter_if_idle()))
        return real.sbrk(increment);
    char *from = real.sbrk(increment);
    if (from != (char *)-1)
        record_break(from, from + increment, HERE);
    tracer_leave();
    return from;
}

HOOK int brk(void *end)
{
    if (!real.brk)
        tracer_revive();
    if (unlikely(!tracer_enter_if_idle()))
        return real.brk(end);
    char *from = real.sbrk(0);
    int result = real.brk(end);
    if (result == 0)
        record_break(from, end, HERE);
    tracer_leave();
    return result;
}

/* dlopen is left alone: the loader looks at who called it.  New code is noticed when it is met,
 * and calloc tells when it comes. */
HOOK int dlclose(void *handle)
{
    if (!real.dlclose)
        tracer_revive();
    int result = real.dlclose ? real.dlclose(handle) : -1;
    if (tracer_enter()) {
        if (arena_enter()) {
            rules_modules_changed();
            arena_leave();
        }
        tracer_leave();
    }
    return result;
}
