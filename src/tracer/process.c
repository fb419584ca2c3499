/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - finds the arena the recorder left for us, and gives up quietly when there is none. */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/raw_syscall.h"
#include "tracer/real.h"
#include "tracer/registration.h"
#include "tracer/rules.h"
#include "tracer/thread.h"

enum phase { PHASE_NEW, PHASE_STARTING, PHASE_ON, PHASE_OFF };

static uint64_t never_alive; /* what `alive` points to before we are on */
static _Atomic int phase;

struct tracer_process tracer_process = {.alive = &never_alive};

/* Set by the dynamic loader before anything else runs; argc, argv and the environment lie there. */
extern void *__libc_stack_end;

static char **initial_environment(void)
{
    long *stack = __libc_stack_end;
    return (char **)(stack + 1 + stack[0] + 1);
}

static char *environment_value(char **environment, const char *name)
{
    size_t size = strlen(name);
    for (; *environment; environment++) {
        if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
            return *environment + size + 1;
    }
    return NULL;
}

static void remove_variable(char **environment, const char *name)
{
    size_t size = strlen(name);
    char **to = environment;
    for (; *environment; environment++) {
        if (strncmp(*environment, name, size) != 0 || (*environment)[size] != '=')
            *to++ = *environment;
    }
    *to = NULL;
}

static struct tracer_luggage luggage;

static bool can_open(const char *path, int how)
{
    return raw_syscall6(SYS_faccessat2, AT_FDCWD, (long)path, how, AT_EACCESS, 0, 0) == 0;
}

/* Whether the next image of this process is to be traced. */
static bool travels_on(void)
{
    if (atomic_load(&phase) != PHASE_ON || !luggage.library[0])
        return false;
    uint32_t pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    return pid == tracer_process.local_pid || tracer_process.header->follow_children;
}

const struct tracer_luggage *tracer_luggage(void)
{
    /* Elsewhere (chroot, another user, another /proc) they would only make the loader complain. */
    return travels_on() && can_open(luggage.library, R_OK) &&
                   can_open(luggage.arena + strlen("MEMOIR_ARENA="), R_OK | W_OK)
               ? &luggage
               : NULL;
}

void tracer_left_behind(int by)
{
    if (travels_on())
        atomic_fetch_add(&tracer_process.header->left_behind, (uint32_t)by);
}

/* Our library is the first of LD_PRELOAD. */
static void pack_luggage(const char *preload, const char *arena)
{
    size_t library = preload ? strcspn(preload, ":") : 0, size = strlen(arena);
    if (library == 0 || library >= sizeof(luggage.library) ||
        strlen("MEMOIR_ARENA=") + size >= sizeof(luggage.arena))
        return;
    memcpy(luggage.library, preload, library);
    memcpy(luggage.arena, "MEMOIR_ARENA=", strlen("MEMOIR_ARENA="));
    memcpy(luggage.arena + strlen("MEMOIR_ARENA="), arena, size + 1);
}

/* Takes our entry, the first, off LD_PRELOAD; what the user had there stays. */
static void restore_preload(char **environment)
{
    char *preload = environment_value(environment, "LD_PRELOAD");
    char *rest = preload ? strchr(preload, ':') : NULL;
    if (!preload)
        return;
    if (rest)
        memmove(preload, rest + 1, strlen(rest + 1) + 1);
    else
        remove_variable(environment, "LD_PRELOAD");
}

/* Maps the tables of the arena; slots come later, see thread.c.  Whatever else the path may lead to, after its
 * recorder is gone, is left alone. */
static void *map_arena(const char *path)
{
    struct stat status = {0};
    long fd = raw_syscall6(SYS_openat, AT_FDCWD, (long)path,
                           O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0, 0, 0);
    if (fd < 0)
        return NULL;
    long at = -1;
    if (raw_syscall3(SYS_fstat, fd, (long)&status, 0) == 0 && S_ISREG(status.st_mode) &&
        status.st_size == (off_t)ARENA_BYTES)
        at = raw_syscall6(SYS_mmap, 0, (long)ARENA_SLOTS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          0);
    raw_syscall3(SYS_close, fd, 0, 0);
    if (at < 0 && at > -4096)
        return NULL;
    raw_syscall3(SYS_madvise, at, (long)ARENA_SLOTS_AT, MADV_DONTDUMP);
    registration_start_up(path, &status);
    struct arena_header *header = (struct arena_header *)at;
    if (header->magic != ARENA_MAGIC || header->version != ARENA_VERSION ||
        header->size != ARENA_BYTES) {
        raw_syscall3(SYS_munmap, at, (long)ARENA_SLOTS_AT, 0);
        return NULL;
    }
    return header;
}

static volatile uint64_t *map_alive_word(void)
{
    long at =
        raw_syscall6(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096)
        return NULL;
    if (raw_syscall3(SYS_madvise, at, 4096, MADV_WIPEONFORK) < 0) {
        raw_syscall3(SYS_munmap, at, 4096, 0);
        return NULL;
    }
    return (volatile uint64_t *)at;
}

void tracer_turn_off(void)
{
    atomic_store(&phase, PHASE_OFF);
    *tracer_process.alive = 0;
}

/* Their allocators must be the first; two of us in one process end badly. */
#pragma weak __asan_init
#pragma weak __tsan_init
void __asan_init(void);
void __tsan_init(void);

/* The arena, if this process is one to be traced: the one that was started, in whatever program it has become
 * by exec, or any when children are followed. */
static void *find_arena(const char *path)
{
    struct arena_header *header = path && !__asan_init && !__tsan_init ? map_arena(path) : NULL;
    if (header && !header->follow_children && header->target_pid &&
        header->target_pid != registration_pid()) {
        raw_syscall3(SYS_munmap, (long)header, (long)ARENA_SLOTS_AT, 0);
        return NULL;
    }
    return header;
}

static void start(void)
{
    char **environment = initial_environment();
    const char *path = environment_value(environment, "MEMOIR_ARENA");
    void *arena = find_arena(path);

    if (arena)
        pack_luggage(environment_value(environment, "LD_PRELOAD"), path);
    if (!arena || !((struct arena_header *)arena)->follow_children) {
        if (path) {
            remove_variable(environment, "MEMOIR_ARENA");
            restore_preload(environment);
        }
    }
    if (!arena || !(tracer_process.alive = map_alive_word())) {
        tracer_process.alive = &never_alive;
        atomic_store(&phase, PHASE_OFF);
        return;
    }
    tracer_process.arena = arena;
    tracer_process.header = arena;
    thread_start_up(path);
    if (!register_process(false)) {
        atomic_store(&phase, PHASE_OFF);
        return;
    }
    *tracer_process.alive = 1;
    atomic_store(&phase, PHASE_ON);
}

/* A forked child: its thread has the parent's slot in hand, which is not its own. */
static bool restart_in_child(void)
{
    tracer_self.slot = NULL;
    tracer_self.busy = 0;
    if (!tracer_process.header->follow_children || !register_process(true)) {
        atomic_store(&phase, PHASE_OFF);
        return false;
    }
    rules_forked();
    *tracer_process.alive = 1;
    return true;
}

bool tracer_revive(void)
{
    int expected = PHASE_NEW;
    switch (atomic_load(&phase)) {
    case PHASE_NEW:
        if (!atomic_compare_exchange_strong(&phase, &expected, PHASE_STARTING))
            return false;
        real_resolve();
        start();
        return atomic_load(&phase) == PHASE_ON;
    case PHASE_ON:
        return *tracer_process.alive || restart_in_child();
    default:
        return false;
    }
}

__attribute__((constructor)) static void start_early(void)
{
    if (!*tracer_process.alive)
        tracer_revive();
}
