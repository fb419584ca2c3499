/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/process/attach.h"

#include <errno.h>

#include "tracer/hooks/got_hooks.h"
#include "tracer/hooks/inside.h"
#include "tracer/process/loaded_objects.h"
#include "tracer/process/luggage.h"
#include "tracer/process/process.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/record.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/thread.h"
#include "tracer/rings/told.h"

#define EXPORTED __attribute__((visibility("default")))

/* A thread writes for microseconds, waits for room for milliseconds, and may be put aside by the
 * scheduler. */
#define LEAVE_NS 500000000ull

/* The process that attaches or detaches at this moment; a fork may have copied it. */
static _Atomic uint32_t changing;

static bool begin_change(void)
{
    uint32_t pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0), other = atomic_load(&changing);
    return other != pid && atomic_compare_exchange_strong(&changing, &other, pid);
}

static void end_change(void)
{
    atomic_store(&changing, 0);
}

/* Also after a recorder that died. */
static int let_go(unsigned long flags)
{
    tracer_switch_off();
    told_part();
    if (!tracer_is_preloaded())
        hooks_remove();
    uint32_t const pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    bool unused = seats_wait_until_empty(pid, LEAVE_NS, flags & ATTACH_MAY_BARRIER);
    tracer_close(unused);
    if (!unused)
        return -EAGAIN;
    record_forget();
    told_forget();
    rules_forget();
    return 0;
}

/* All calls are led to us while we let them pass; then tracing begins, for all at once. */
static int begin(int arena_fd, unsigned long flags)
{
    int err = tracer_open(arena_fd);
    if (err < 0)
        return err;
    struct arena_header *header = tracer_process.header;
    bool follow = header->follow_children && header->follow_library[0];
    if (follow)
        luggage_pack(header->follow_library, header->follow_arena, true);
    if (!tracer_is_preloaded())
        err = hooks_install();
    if (err == 0)
        err = tracer_switch_on();
    if (err == 0)
        told_join();
    if (err == 0)
        inside_start(false);
    if (err < 0)
        let_go(flags);
    return err;
}

/* Another memoir may have been here first, preloaded or of another build: what it has hooked
 * only it can undo.  It is asked first. */
static int ask_elder(int arena_fd, unsigned long flags)
{
    long (*attach)(int, unsigned long) = objects_first("memoir_tracer_attach");
    return attach == memoir_tracer_attach ? -EPROTO : (int)attach(arena_fd, flags);
}

EXPORTED long memoir_tracer_attach(int arena_fd, unsigned long flags)
{
    int saved = errno;
    if (tracer_is_starting() || !begin_change())
        return -EAGAIN;
    int err = tracer_is_attached() ? -EBUSY : ask_elder(arena_fd, flags);
    if (err == -EPROTO) { /* there is none, or it does not know such arenas */
        err = let_go(flags);
        if (err == 0)
            err = begin(arena_fd, flags);
    }
    end_change();
    errno = saved;
    return err;
}

EXPORTED long memoir_tracer_detach(unsigned long flags)
{
    int saved = errno;
    long (*detach)(unsigned long) = objects_first("memoir_tracer_detach");
    if (tracer_is_starting() || !begin_change())
        return -EAGAIN;
    int err = let_go(flags);
    if (err == 0 && detach != memoir_tracer_detach)
        err = (int)detach(flags);
    end_change();
    errno = saved;
    return err;
}
