/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - finds the arena the recorder left for us, and gives up quietly when there is none. */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "tracer/raw_syscall.h"
#include "tracer/real.h"
#include "tracer/ring.h"
#include "tracer/rules.h"
#include "tracer/thread.h"

enum phase { PHASE_NEW, PHASE_STARTING, PHASE_ON, PHASE_OFF };

static uint64_t never_alive; /* what `alive` points to before we are on */
static _Atomic int phase;
static pthread_key_t exit_key;
static bool has_exit_key;

struct tracer_process tracer_process = {.alive = &never_alive};
__thread struct tracer_thread tracer_self;

/* Keys above this one would make pthread_setspecific allocate. */
#define STATIC_KEYS 32

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

const struct tracer_luggage *tracer_luggage(void)
{
    if (atomic_load(&phase) != PHASE_ON || !luggage.library[0])
        return NULL;
    uint32_t pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    bool same = pid == arena_process_at(tracer_process.arena, tracer_process.process)->pid;
    return same || tracer_process.header->follow_children ? &luggage : NULL;
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

static void *map_arena(const char *path)
{
    long fd = raw_syscall6(SYS_openat, AT_FDCWD, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return NULL;
    long at =
        raw_syscall6(SYS_mmap, 0, (long)ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    raw_syscall3(SYS_close, fd, 0, 0);
    if (at < 0 && at > -4096)
        return NULL;
    raw_syscall3(SYS_madvise, at, (long)ARENA_BYTES, MADV_DONTDUMP);
    struct arena_header *header = (struct arena_header *)at;
    if (header->magic != ARENA_MAGIC || header->version != ARENA_VERSION ||
        header->size != ARENA_BYTES) {
        raw_syscall3(SYS_munmap, at, (long)ARENA_BYTES, 0);
        return NULL;
    }
    return header;
}

static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size)
        length = size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

/* Enters this process in the arena's list.  false when the list is full. */
static bool register_process(bool forked)
{
    struct arena_header *header = tracer_process.header;
    uint32_t index = atomic_fetch_add(&header->process_count, 1);
    if (index >= ARENA_PROCESSES)
        return false;
    struct arena_process *process = arena_process_at(tracer_process.arena, index);
    process->pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    process->parent_pid = (uint32_t)raw_syscall3(SYS_getppid, 0, 0, 0);
    process->forked = forked;
    process->start_tsc = read_tsc();
    if (forked) {
        struct arena_process *parent =
            arena_process_at(tracer_process.arena, tracer_process.process);
        copy_text(process->path, sizeof(process->path), parent->path);
    } else {
        /* As the kernel resolved it: argv[0] may lie. */
        long size = raw_syscall6(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe",
                                 (long)process->path, sizeof(process->path) - 1, 0, 0);
        process->path[size > 0 ? size : 0] = '\0';
    }
    tracer_process.process = index;
    atomic_store_explicit(&process->state, PROCESS_RUNNING, memory_order_release);
    return true;
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

/* Gives the slot back when a thread ends.  Other destructors may still free memory, so wait for the
 * last round before doing it. */
static void thread_exits(void *slot_pointer)
{
    struct tracer_thread *self = &tracer_self;
    if (++self->exit_rounds < 4 && pthread_setspecific(exit_key, slot_pointer) == 0)
        return;
    self->busy++;
    struct arena_slot *slot = self->slot;
    if (slot == slot_pointer && slot && *tracer_process.alive) {
        struct arena_process *process = arena_process_at(tracer_process.arena, slot->process);
        self->slot = NULL;
        atomic_fetch_add(&process->calls, slot->calls);
        atomic_fetch_add(&process->bytes, slot->bytes);
        atomic_fetch_add(&process->frees, slot->frees);
        atomic_fetch_add(&process->lost, slot->lost + slot->nested);
        slot->calls = slot->bytes = slot->frees = slot->lost = 0;
        slot->nested = 0;
        atomic_store_explicit(&slot->owner, 0, memory_order_release);
    }
    self->busy--;
}

void tracer_turn_off(void)
{
    atomic_store(&phase, PHASE_OFF);
    *tracer_process.alive = 0;
}

static void start(void)
{
    char **environment = initial_environment();
    const char *path = environment_value(environment, "MEMOIR_ARENA");
    void *arena = path ? map_arena(path) : NULL;

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
    has_exit_key = pthread_key_create(&exit_key, thread_exits) == 0 && exit_key < STATIC_KEYS;
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
    rules_forked();
    if (!tracer_process.header->follow_children || !register_process(true)) {
        atomic_store(&phase, PHASE_OFF);
        return false;
    }
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

/* The thread's own stack reaches from here up to where its control block lies (the main thread's:
 * to where the kernel began it).  True when every page between is readable now, and so for good. */
static bool learn_stack(struct arena_slot *slot, bool main_thread)
{
    uint64_t here = (uint64_t)__builtin_frame_address(0), top;
    if (main_thread)
        top = (uint64_t)__libc_stack_end;
    else
        __asm__("mov %%fs:0, %0" : "=r"(top));
    slot->stack_low = slot->stack_high = 0;
    if (here >= top || top - here > (8u << 20))
        return false;
    for (uint64_t page = here & ~4095ull; page < top; page += 4096) {
        if (!raw_is_readable(page))
            return false;
    }
    slot->stack_low = here;
    slot->stack_high = top;
    return true;
}

static struct arena_slot *claim(uint32_t tid)
{
    struct arena_header *header = tracer_process.header;
    uint32_t high = atomic_load(&header->slot_high);
    for (uint32_t i = 0; i < ARENA_SLOTS; i++) {
        struct arena_slot *slot = arena_slot_at(tracer_process.arena, i);
        uint32_t nobody = 0;
        if (atomic_load_explicit(&slot->owner, memory_order_relaxed) != 0 ||
            !atomic_compare_exchange_strong(&slot->owner, &nobody, SLOT_TAKING))
            continue;
        while (high <= i && !atomic_compare_exchange_weak(&header->slot_high, &high, i + 1))
            ;
        slot->process = tracer_process.process;
        slot->frame_count = slot->link_count = slot->position = 0;
        arena_slot_tip(slot)->count = 0;
        slot->last_block = 0;
        slot->last_clock = slot->last_time = 0;
        slot->look_at = 0;
        atomic_store_explicit(&slot->owner, tid, memory_order_release);
        return slot;
    }
    return NULL;
}

struct arena_slot *thread_take_slot(void)
{
    uint32_t tid = (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0);
    uint32_t pid = (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
    /* A vfork child borrows our memory and this thread's storage; a slot under its id would be
     * taken for abandoned when it execs. */
    if (pid != arena_process_at(tracer_process.arena, tracer_process.process)->pid)
        return NULL;
    struct arena_slot *slot = claim(tid);
    if (!slot)
        return NULL;
    learn_stack(slot, tid == pid);
    tracer_self.slot = slot;
    uint64_t words[2] = {(uint64_t)tid << 32 | (uint64_t)slot->process << 16 | EVENT_THREAD,
                         read_tsc()};
    if (ring_begin(slot, (struct event_weight){0, 0}))
        ring_put(slot, words, 2);
    if (has_exit_key && tracer_self.exit_rounds == 0)
        pthread_setspecific(exit_key, slot);
    return slot;
}
