/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/fork_hooks.h"

#include <errno.h>
#include <pthread.h>
#include <sys/types.h>

#include "tracer/process.h"
#include "tracer/real.h"
#include "tracer/tables.h"
#include "tracer/thread.h"

#define HOOK __attribute__((visibility("default"), noinline))

pid_t _Fork(void);

/* In a child, of whatever thread has forked. */
static void leave_slot_to_parent(void)
{
    struct tracer_thread *self = &tracer_self;
    if (self->busy == 1 && self->slot && tracer_has_epoch(self->epoch))
        tables_part_with_slot(self->slot);
}

void fork_hooks_start_up(void)
{
    static _Atomic int asked;
    if (atomic_exchange(&asked, 1) == 0)
        pthread_atfork(NULL, NULL, leave_slot_to_parent);
}

/* The fork for signal handlers, which calls nobody in the child. */
HOOK pid_t _Fork(void)
{
    if (!real._Fork)
        tracer_revive(); /* before our constructor */
    if (!real._Fork) {
        errno = ENOSYS;
        return -1;
    }
    pid_t pid = real._Fork();
    if (pid == 0)
        leave_slot_to_parent();
    return pid;
}
