/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/hooks/fork_hooks.h"

#include <errno.h>
#include <pthread.h>
#include <sys/types.h>

#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/record.h"
#include "tracer/stacks/tables.h"

#define HOOK __attribute__((visibility("default"), noinline))

pid_t _Fork(void);

/* Only where children are followed.  Not in the middle of a hook. */
static void tell_of_fork(void)
{
    static _Atomic uint32_t forks;
    struct tracer_thread *self = &tracer_self;
    self->fork_id = 0;
    if (*tracer_process.alive == 0 || self->busy == 1 || !tracer_enter())
        return;
    if (arena_enter()) {
        struct arena_slot *slot = tracer_process.header->follow_children ? own_slot() : NULL;
        if (slot && ring_begin(slot, (struct event_weight){0, 0, 0, 0})) {
            uint64_t now = ring_put_instant(slot), id;
            while ((id = atomic_fetch_add(&forks, 1) + 1u) == 0)
                ;
            ring_put2(slot, id << 4 | EVENT_FORK, now);
            self->fork_id = (uint32_t)id;
        }
        arena_leave();
    }
    tracer_leave();
}

void children_let_go(int by)
{
    if (*tracer_process.alive == 0 || tracer_self.busy == 1 || !tracer_enter())
        return;
    if (arena_enter()) {
        struct arena_header *header = tracer_process.header;
        if (!header->follow_children)
            atomic_fetch_add(&header->children_let_go, (uint32_t)by);
        arena_leave();
    }
    tracer_leave();
}

bool children_share_memory(void)
{
    return *tracer_process.alive != 0 &&
           (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) != tracer_process.local_pid;
}

/* In a child of fork, by itself: in the parent nobody would say whether there is one. */
static void count_myself(void)
{
    struct arena_header *header = tracer_is_on() ? tracer_process.header : NULL;
    if (header && !header->follow_children)
        atomic_fetch_add(&header->children_let_go, 1);
}

static void has_forked(void)
{
    tracer_self.fork_id = 0;
}

/* In a child, of whatever thread has forked. */
static void leave_slot_to_parent(void)
{
    struct tracer_thread *self = &tracer_self;
    tracer_process.fork_id = self->fork_id; /* whichever thread needs it first */
    self->fork_id = 0;
    count_myself();
    tables_forget_turn();
    if (self->busy != 1 && atomic_load(&self->seat->inside) == 0)
        tracer_forked();
    else if (self->busy == 1 && self->slot && tracer_has_epoch(self->epoch))
        tables_part_with_slot(self->slot, self->limits.slot);
}

void fork_hooks_start_up(void)
{
    static _Atomic int asked;
    if (atomic_exchange(&asked, 1) == 0)
        pthread_atfork(tell_of_fork, has_forked, leave_slot_to_parent);
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
    tell_of_fork();
    pid_t pid = real._Fork();
    if (pid == 0)
        leave_slot_to_parent();
    else
        has_forked();
    return pid;
}
