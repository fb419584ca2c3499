/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/resident_peak.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tracer/hooks/confine_hooks.h"
#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"

#define STATUS_BYTES 2048 /* Of /proc/self/status; the number stands in the first half of that. */

/* Not a child of vfork in our memory, nor a forked one that is not recorded. */
static bool is_registered(void)
{
    return tracer_process.arena && !tracer_is_confined() && *tracer_process.alive != 0 &&
           (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) == tracer_process.local_pid;
}

/* In KiB; 0: unknown. */
static uint64_t read_peak(void)
{
    char text[STATUS_BYTES];
    long const fd = raw_syscall6(SYS_openat, AT_FDCWD, (long)"/proc/self/status",
                                 O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return 0;
    long const size = raw_syscall3(SYS_read, fd, (long)text, sizeof(text) - 1);
    raw_syscall3(SYS_close, fd, 0, 0);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    const char *at = strstr(text, "\nVmHWM:");
    uint64_t kib = 0;
    if (!at)
        return 0;
    at += strlen("\nVmHWM:");
    at += strspn(at, " \t");
    for (unsigned digits = 0; digits < 12 && *at >= '0' && *at <= '9'; digits++)
        kib = kib * 10 + (uint64_t)(*at++ - '0');
    return kib;
}

void tell_resident_peak(void)
{
    if (!is_registered())
        return;
    uint64_t const kib = read_peak();
    if (arena_enter()) {
        atomic_store(&arena_process_at(tracer_process.arena, tracer_process.process)->peak_kib,
                     kib);
        arena_leave();
    }
}

/* Libraries that were initialized later, and the program, are done before. */
__attribute__((destructor)) static void on_exit_of_program(void)
{
    tell_resident_peak();
}
