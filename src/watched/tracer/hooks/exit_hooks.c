/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/exit_hooks.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "tracer/hooks/confine_hooks.h"
#include "tracer/hooks/resident_peak.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"

#define HOOK __attribute__((visibility("default"), noinline))

/* A program never depends on its recorder for longer than this. */
#define NAP_NS 500000
#define NAPS   60000 /* 30 s and more */

/* Only the program itself: not what it forks, nor a child of vfork in its memory. */
static bool is_the_program(const struct arena_header *header)
{
    return header && atomic_load(&header->holds_end) &&
           (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) == tracer_process.local_pid &&
           tracer_process.pid == header->target_pid;
}

/* Its lock is given up before it is done; a recorder that was killed leaves another mark. */
static bool recorder_was_killed(void)
{
    const char *lock = (char *)tracer_process.arena + ARENA_LOCK_AT;
    return atomic_load((const _Atomic uint32_t *)(const void *)lock) & FUTEX_OWNER_DIED;
}

static void leave(int status)
{
    struct arena_header *header = tracer_process.header;
    tell_resident_peak();
    if (tracer_is_confined() || !is_the_program(header) || recorder_was_killed())
        return;
    atomic_store(&header->leave_status, (uint32_t)status);
    atomic_store(&header->leaving, 1);
    if (atomic_exchange(&header->sleeping, 0))
        raw_syscall6(SYS_futex, (long)&header->sleeping, FUTEX_WAKE, 1, 0, 0, 0);
    for (int i = 0; i < NAPS && atomic_load(&header->holds_end) && !recorder_was_killed(); i++)
        raw_nap(NAP_NS);
}

static void on_end(int status, void *context)
{
    (void)context;
    leave(status);
}

/* Registered before all others, it is called after them, and after destructors. */
void exit_hooks_start_up(void)
{
    if (atomic_load(&tracer_process.header->holds_end))
        on_exit(on_end, NULL);
}

HOOK _Noreturn void _exit(int status)
{
    leave(status);
    for (;;)
        raw_syscall3(SYS_exit_group, status, 0, 0);
}

HOOK _Noreturn void _Exit(int status)
{
    _exit(status);
}
