/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - finds the arena that the recorder made for this process, or takes the one that it
 * passes; without an arena, does nothing. */
#include "tracer/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/hooks/confine_hooks.h"
#include "tracer/hooks/exit_hooks.h"
#include "tracer/hooks/fork_hooks.h"
#include "tracer/hooks/inside.h"
#include "tracer/process/loaded_objects.h"
#include "tracer/process/luggage.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/process/real.h"
#include "tracer/rings/registration.h"
#include "tracer/stacks/rules.h"
#include "tracer/rings/sample.h"
#include "tracer/stacks/tables.h"
#include "tracer/rings/thread.h"
#include "tracer/rings/told.h"

/* CHANGING: on its way from one to the other, by attach or detach. */
enum phase { PHASE_NEW, PHASE_STARTING, PHASE_ON, PHASE_OFF, PHASE_CHANGING };

#define RESTART_NAP_NS 100000
#define RESTART_NAPS   50000 /* 5 s and more: a full list of processes may be waited for */

static uint64_t never_alive; /* what `alive` points to before we are on */
static _Atomic int phase;
static uint64_t epochs; /* so far */
static bool preloaded;

struct tracer_process tracer_process = {.alive = &never_alive, .rate = &sample_no_rate};

/* `path` led to the arena, or is empty.  0, or -errno when it is none, or of another version. */
static int map_arena(int fd, const char *path, struct arena_header **arena)
{
    struct stat status;
    int err = tables_open(fd, &status);
    if (err < 0)
        return err;
    registration_start_up(path, &status);
    sample_watch(fd);
    *arena = tables_head();
    return 0;
}

/* By the descriptor that the image before us left open, which is closed.  NULL when that number is
 * something else by now, which is left alone. */
static struct arena_header *map_ticket(const char *path)
{
    struct arena_header *arena = NULL;
    int const ticket = luggage_ticket();
    if (ticket < 0 || map_arena(ticket, path, &arena) < 0)
        return NULL;
    raw_syscall3(SYS_close, ticket, 0, 0);
    return arena;
}

/* Whatever else the path may lead to, after its recorder is gone, is left alone. */
static struct arena_header *map_named_arena(const char *path)
{
    struct arena_header *arena = map_ticket(path);
    if (arena)
        return arena;
    long fd = raw_syscall6(SYS_openat, AT_FDCWD, (long)path,
                           O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
    if (fd < 0)
        return NULL;
    map_arena((int)fd, path, &arena);
    raw_syscall3(SYS_close, fd, 0, 0);
    return arena;
}

/* Once and for all.  false when there is no such memory to be had. */
static bool map_alive_word(void)
{
    if (tracer_process.alive != &never_alive)
        return true;
    long at =
        raw_syscall6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096)
        return false;
    if (raw_syscall3(SYS_madvise, at, 4096, MADV_WIPEONFORK) < 0) {
        raw_syscall3(SYS_munmap, at, 4096, 0);
        return false;
    }
    tracer_process.alive = (volatile uint64_t *)at;
    return true;
}

bool tracer_recorder_is_dead(void)
{
    uint32_t offset = *(const volatile uint32_t *)&tracer_process.header->lock_offset;
    if (offset > ARENA_NODES_AT - sizeof(uint32_t) || offset % sizeof(uint32_t))
        return true;
    uint32_t word = atomic_load((_Atomic uint32_t *)((char *)tracer_process.arena + offset));
    return (word & FUTEX_OWNER_DIED) || (word & FUTEX_TID_MASK) == 0;
}

void tracer_turn_off(void)
{
    int on = PHASE_ON;
    if (atomic_compare_exchange_strong(&phase, &on, PHASE_OFF))
        *tracer_process.alive = 0;
}

/* Their allocators must be the first; two of us in one process end badly. */
#pragma weak __asan_init
#pragma weak __tsan_init
void __asan_init(void);
void __tsan_init(void);

/* The arena, if this process is one to be traced: the one that was started, in whatever program
 * it has become by exec, or any when children are followed. */
static void *find_arena(const char *path)
{
    struct arena_header *header =
        path && !__asan_init && !__tsan_init ? map_named_arena(path) : NULL;
    if (header && !header->follow_children && header->target_pid &&
        header->target_pid != registration_pid()) {
        tables_close();
        return NULL;
    }
    return header;
}

/* From now on, at once for all threads. */
static void begin_epoch(void)
{
    *tracer_process.alive = ++epochs;
    atomic_store(&phase, PHASE_ON);
}

static void start(void)
{
    const char *path = luggage_arena();
    struct arena_header *arena = find_arena(path);

    if (arena)
        luggage_pack(luggage_preload(), path, arena->follow_children);
    if (!arena || !arena->follow_children)
        luggage_hide();
    atomic_store(&phase, PHASE_OFF);
    if (!arena)
        return;
    tracer_process.arena = tracer_process.header = arena;
    thread_start_up();
    rules_start_up();
    fork_hooks_start_up();
    if (map_alive_word() && register_process(false)) {
        inside_start(true);
        begin_epoch();
        told_join();
        exit_hooks_start_up();
    }
}

/* A forked child: of its threads there is one, and what that has in hand is the parent's. */
static bool restart_in_child(void)
{
    seats_forked();
    struct arena_header *header = tracer_process.header;
    bool const is_followed = header && header->follow_children;
    if (is_followed && tracer_is_confined())
        atomic_fetch_add(&header->left_behind, 1);
    if (!is_followed || tracer_is_confined() || !register_process(true)) {
        tracer_close(true); /* or the arena would live on in it */
        return false;
    }
    rules_forked();
    begin_epoch();
    return true;
}

static bool is_forked(void)
{
    return (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0) != tracer_process.local_pid;
}

/* A child may have several threads before the first of them comes here: one of them restarts, the
 * others wait for it.  The word is in the page that the kernel zeroes in a forked child. */
static bool revive_in_child(void)
{
    enum { NOBODY, RESTARTING, RESTARTED };
    _Atomic uint64_t *state = (_Atomic uint64_t *)(uint64_t)(tracer_process.alive + 1);
    uint64_t nobody = NOBODY;
    /* Looked at in this order: whoever restarts makes it its own process. */
    if (!is_forked() && atomic_load(state) == NOBODY)
        return false;
    if (atomic_compare_exchange_strong(state, &nobody, RESTARTING)) {
        bool const is_on = restart_in_child();
        atomic_store(state, RESTARTED);
        return is_on;
    }
    for (unsigned i = 0; i < RESTART_NAPS && atomic_load(state) == RESTARTING; i++)
        raw_nap(RESTART_NAP_NS);
    return *tracer_process.alive != 0;
}

bool tracer_revive(void)
{
    int expected = PHASE_NEW;
    switch (atomic_load(&phase)) {
    case PHASE_NEW:
        if (!atomic_compare_exchange_strong(&phase, &expected, PHASE_STARTING))
            return false;
        preloaded = true;
        real_resolve();
        start();
        return atomic_load(&phase) == PHASE_ON;
    case PHASE_ON:
        return *tracer_process.alive || revive_in_child();
    default:
        return false;
    }
}

/* Loaded into a running program, nobody's calls come here by themselves: the first of a name is
 * not ours. */
__attribute__((constructor)) static void start_early(void)
{
    if (atomic_load(&phase) != PHASE_NEW)
        return;
    if (objects_function("fexecve") == (void *)fexecve) {
        tracer_revive();
    } else {
        atomic_store(&phase, PHASE_OFF);
        real_resolve_in_program();
    }
}

bool tracer_is_preloaded(void)
{
    return preloaded;
}

bool tracer_is_on(void)
{
    return atomic_load(&phase) == PHASE_ON;
}

bool tracer_has_epoch(uint64_t epoch)
{
    return tracer_process.arena && epoch == epochs;
}

bool tracer_is_starting(void)
{
    return atomic_load(&phase) == PHASE_NEW || atomic_load(&phase) == PHASE_STARTING;
}

bool tracer_is_attached(void)
{
    return tracer_is_on() && *tracer_process.alive != 0 && !tracer_recorder_is_dead();
}

bool tracer_pause(void)
{
    int on = PHASE_ON;
    if (!atomic_compare_exchange_strong(&phase, &on, PHASE_CHANGING))
        return false;
    *tracer_process.alive = 0;
    return true;
}

void tracer_resume(void)
{
    *tracer_process.alive = epochs;
    atomic_store(&phase, PHASE_ON);
}

int tracer_open(int fd)
{
    struct arena_header *arena;
    if (__asan_init || __tsan_init)
        return -ENOTSUP;
    int err = map_alive_word() ? map_arena(fd, "", &arena) : -ENOMEM;
    if (err < 0)
        return err;
    tracer_process.arena = tracer_process.header = arena;
    thread_start_up();
    rules_start_up();
    fork_hooks_start_up();
    return 0;
}

int tracer_switch_on(void)
{
    if (!register_process(false))
        return -ENOSPC;
    begin_epoch();
    return 0;
}

void tracer_switch_off(void)
{
    if (is_forked())
        seats_forked();
    atomic_store(&phase, PHASE_CHANGING);
    *tracer_process.alive = 0;
}

static void unmap_arena(void)
{
    if (!tracer_process.arena)
        return;
    tables_close();
    tracer_process.arena = tracer_process.header = NULL;
    sample_unwatch();
}

void tracer_forked(void)
{
    if (tracer_process.header && !tracer_process.header->follow_children)
        unmap_arena();
}

void tracer_close(bool unused)
{
    if (unused) {
        unmap_arena();
        sample_forget_all();
    }
    luggage_drop();
    atomic_store(&phase, PHASE_OFF);
}
