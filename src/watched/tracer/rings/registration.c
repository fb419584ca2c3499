/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/registration.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "machine/processor.h"
#include "tracer/hooks/confine_hooks.h"
#include "tracer/process/arena_raise.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thread.h"
#include "wire/invariant.h"

/* How long a place in a full list of processes is waited for: 20 ms, or 2 s. */
#define NAP_NS      1000000
#define NAPS        20
#define NAPS_OF_RUN 2000 /* where the program may wait for the recorder */

static char arena_path[128];
static uint64_t arena_device, arena_inode;

/* Of the executable, as the kernel resolved it: argv[0] may lie.  Forked children have it from
 * their parent, whose entry may be another's by then. */
static char executable[sizeof(((struct arena_process *)0)->path)];

void registration_start_up(const char *path, const struct stat *arena)
{
    size_t size = strlen(path);
    if (size < sizeof(arena_path))
        memcpy(arena_path, path, size + 1);
    arena_device = arena->st_dev;
    arena_inode = arena->st_ino;
}

/* Whether the recorder is under its number in the /proc that we see: then we are, too. */
static bool sees_recorder(void)
{
    struct stat status = {0};
    return raw_syscall6(SYS_newfstatat, AT_FDCWD, (long)arena_path, (long)&status, 0, 0, 0) == 0 &&
           status.st_dev == arena_device && status.st_ino == arena_inode;
}

static uint32_t number_at(const char *text)
{
    uint32_t number = 0;
    while (*text >= '0' && *text <= '9')
        number = number * 10 + (uint32_t)(*text++ - '0');
    return number;
}

struct registration_numbers {
    uint32_t own, parent; /* 0: not known */
};

/* From a stat file of /proc: "NUMBER (NAME) STATE PARENT ...". */
static struct registration_numbers read_numbers(const char *path)
{
    struct registration_numbers numbers = {0, 0};
    char text[256];
    long fd = raw_syscall6(SYS_openat, AT_FDCWD, (long)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
    if (fd < 0)
        return numbers;
    long size = raw_syscall3(SYS_read, fd, (long)text, sizeof(text) - 1);
    raw_syscall3(SYS_close, fd, 0, 0);
    if (size <= 0)
        return numbers;
    text[size] = '\0';
    numbers.own = number_at(text);
    const char *after_name = strrchr(text, ')');
    if (after_name && strlen(after_name) > strlen(") S "))
        numbers.parent = number_at(after_name + strlen(") S "));
    return numbers;
}

static uint32_t local_pid(void)
{
    return (uint32_t)raw_syscall3(SYS_getpid, 0, 0, 0);
}

/* A forked child that sees its parent under a number which is also the recorder's for it has the
 * recorder's number itself. */
static bool is_beside_parent(const struct arena_process *child)
{
    return child->parent_pid == tracer_process.local_pid &&
           tracer_process.local_pid == tracer_process.pid;
}

/* Attached by a recorder that knows this process by another number: in another pid namespace. */
static bool is_elsewhere(uint32_t own)
{
    uint32_t known = tracer_process.header->target_pid;
    return !arena_path[0] && known != 0 && known != own;
}

/* Fills in the numbers.  Without the recorder's /proc (chroot, containers) little is known. */
static void number_process(struct arena_process *process, bool forked)
{
    struct registration_numbers seen = {0, 0};
    if (sees_recorder())
        seen = read_numbers("/proc/self/stat");
    process->local_pid = local_pid();
    process->parent_pid = seen.own ? seen.parent : (uint32_t)raw_syscall3(SYS_getppid, 0, 0, 0);
    if (seen.own == 0 && (forked ? is_beside_parent(process) : !is_elsewhere(process->local_pid)))
        seen.own = process->local_pid;
    process->pid = seen.own;
    tracer_process.local_pid = process->local_pid;
    tracer_process.pid = process->pid;
}

uint32_t registration_pid(void)
{
    uint32_t seen = read_numbers("/proc/self/stat").own;
    return seen ? seen : local_pid();
}

uint32_t registration_tid(uint32_t tid)
{
    if (tracer_process.pid == tracer_process.local_pid || tracer_process.pid == 0 ||
        tracer_is_confined())
        return tid;
    uint32_t seen = read_numbers("/proc/thread-self/stat").own;
    return seen ? seen : tid;
}

/* A free entry of the arena's list, which is then ours to fill; PROCESS_NONE when none is free. */
static uint32_t find_entry(void)
{
    for (uint32_t i = 0; i < ARENA_PROCESSES; i++) {
        uint32_t state = PROCESS_FREE;
        if (atomic_compare_exchange_strong(&arena_process_at(tracer_process.arena, i)->state,
                                           &state, PROCESS_TAKING)) {
            arena_raise(&tracer_process.header->process_high, i);
            return i;
        }
    }
    return PROCESS_NONE;
}

/* Most of a full list may be processes that are over, which the recorder is about to find out. */
static uint32_t claim_entry(void)
{
    struct arena_header *header = tracer_process.header;
    int const naps = atomic_load(&header->longest_wait_ns) ? NAPS : NAPS_OF_RUN;
    uint32_t index = find_entry();
    for (int i = 0; index == PROCESS_NONE && i < naps && !atomic_load(&header->off); i++) {
        raw_nap(NAP_NS);
        index = find_entry();
    }
    if (index == PROCESS_NONE)
        atomic_fetch_add(&header->unlisted_processes, 1);
    return index;
}

static void find_executable(void)
{
    const struct arena_header *header = tracer_process.header;
    _Static_assert(sizeof(executable) <= sizeof(header->attached_path), "it fits");
    if (raw_syscall6(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)executable,
                     sizeof(executable) - 1, 0, 0) < 0)
        memcpy(executable, header->attached_path, sizeof(executable) - 1);
}

/* Where the linker put them. */
extern char own_data_start[] __asm__("__bss_start") __attribute__((visibility("hidden")));
extern char own_data_end[] __asm__("_end") __attribute__((visibility("hidden")));

bool register_process(bool forked)
{
    uint32_t index = claim_entry();
    if (index == PROCESS_NONE)
        return false;
    struct arena_process *process = arena_process_at(tracer_process.arena, index);
    INVARIANT(index < ARENA_PROCESSES);
    number_process(process, forked);
    process->forked = forked;
    process->parent = forked ? tracer_process.process : PROCESS_NONE;
    process->parent_serial = tracer_process.serial;
    process->fork_id = forked ? tracer_process.fork_id : 0;
    process->start_tsc = processor_ticks();
    process->data_start = (uint64_t)own_data_start;
    process->data_end = (uint64_t)own_data_end;
    atomic_store(&process->confined_tsc, 0);
    atomic_store(&process->peak_kib, 0);
    process->serial = tracer_process.serial = atomic_fetch_add(&tracer_process.header->serials, 1);
    if (!forked) {
        find_executable();
        tracer_process.family = process->serial;
    }
    process->family = tracer_process.family;
    memcpy(process->path, executable, sizeof(executable));
    tracer_process.process = index;
    tracer_process.fork_id = 0;
    atomic_store(&process->state, PROCESS_RUNNING);
    return true;
}
