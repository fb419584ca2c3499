/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/target_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/human.h"
#include "base/utf8.h"
#include "capture/programs/launch.h"
#include "capture/rings/target_arena.h"
#include "inject/choice/permission.h"
#include "inject/choice/seccomp_check.h"
#include "machine/executables.h"
#include "procfs/cgroup/cgroup_memory.h"
#include "procfs/memory/maps.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"
#include "wire/arena.h"

#define ROOM_FOR_LIBRARY ((int64_t)3 << 20)
/* Of the library, nearly all of it room for stacks that are walked; of the arena's head, and
 * what one thread needs. */
#define SPACE_FOR_LIBRARY ((uint64_t)8 << 20)
#define SPACE_FOR_ARENA   (ARENA_NODES_AT + 2 * SLOT_STRIDE)
#define SECCOMP_STRICT    1
#define SECCOMP_FILTER    2

void target_describe(pid_t pid, char *text, size_t size)
{
    struct process_status status;
    if (process_status_read((uint32_t)pid, 0, &status) == 0)
        snprintf(text, size, "%s (pid %d)", status.name, (int)pid);
    else
        snprintf(text, size, "process %d", (int)pid);
    utf8_tame(text, '?', "");
}

static int gone(pid_t pid, struct fault *fault)
{
    return fault_set(fault, -ESRCH, "there is no process %d; `ps -ef` lists all processes",
                     (int)pid);
}

/* What kind of process it is. */
static int check_kind(pid_t pid, const struct process_status *status, struct fault *fault)
{
    if (status->group != (uint32_t)pid)
        return fault_set(fault, -EINVAL,
                         "%d is a thread of process %u; attach to the "
                         "process",
                         (int)pid, status->group);
    if (process_is_kernel((uint32_t)pid))
        return fault_set(fault, -EINVAL,
                         "%s (pid %d) is a kernel thread, which has no memory of its own to "
                         "record",
                         status->name, (int)pid);
    if (status->state == 'Z' || status->state == 'X')
        return fault_set(fault, -ESRCH,
                         "%s (pid %d) has ended already: it is a zombie that waits for its parent, "
                         "process %u",
                         status->name, (int)pid, status->parent);
    if (pid == getpid())
        return fault_set(fault, -EINVAL,
                         "process %d is this memoir; give the program to be recorded", (int)pid);
    return 0;
}

/* Whether somebody else has it in hand. */
static int check_free(pid_t pid, const struct process_status *status, struct fault *fault)
{
    char tracer[64];
    if (status->tracer) {
        target_describe((pid_t)status->tracer, tracer, sizeof(tracer));
        return fault_set(fault, -EBUSY,
                         "%s (pid %d) is traced already, by %s; end the other "
                         "tracer first",
                         status->name, (int)pid, tracer);
    }
    if (status->state == 'T')
        return fault_set(fault, -EBUSY, "%s (pid %d) is stopped; continue it first: kill -CONT %d",
                         status->name, (int)pid, (int)pid);
    return 0;
}

static int check_permission(pid_t pid, struct fault *fault)
{
    struct permission_facts facts;
    int const fd = proc_open((uint32_t)pid, 0, PROC_MEM_WRITE);
    if (fd >= 0) {
        close(fd);
        return 0;
    }
    if (fd == -ENOENT || fd == -ESRCH)
        return gone(pid, fault);
    permission_facts_read(&facts, pid);
    return permission_explain(&facts, fault);
}

/* Its executable, whichever namespace that is in. */
static int check_program(pid_t pid, const struct process_status *status, struct fault *fault)
{
    char path[64], target[PATH_MAX];
    struct fault inner = {.text = ""};
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    (void)proc_read_link((uint32_t)pid, PROC_EXE, target, sizeof(target));
    if (strstr(target,
               "/" MACHINE_LOADER)) /* the loader, started with the program as its argument */
        return 0;
    int err = launch_check(path, &inner);
    if (err == 0)
        return 0;
    /* It speaks of the file as we named it. */
    const char *rest =
        strncmp(inner.text, path, strlen(path)) == 0 ? inner.text + strlen(path) : inner.text;
    return fault_set(fault, err, "%s (pid %d)%s%s", status->name, (int)pid,
                     rest == inner.text ? ": " : "", rest);
}

static int check_sandbox(pid_t pid, const struct process_status *status, struct fault *fault)
{
    if (status->shadow_stack)
        return fault_set(
            fault, -EPERM,
            "%s (pid %d) has a shadow stack, which attach cannot handle; start the program with "
            "memoir run, or without shadow stack: GLIBC_TUNABLES=glibc.cpu.x86_shstk=off",
            status->name, (int)pid);
    if (status->seccomp == SECCOMP_STRICT)
        return fault_set(
            fault, -EPERM,
            "%s (pid %d) is in seccomp strict mode and may only read and write; attach earlier, or "
            "start the program with memoir run",
            status->name, (int)pid);
    return status->seccomp == SECCOMP_FILTER ? seccomp_check(pid, fault) : 0;
}

static int check_unrecorded(pid_t pid, const struct process_status *status, struct fault *fault)
{
    struct target_arena arena;
    if (target_arena_find(pid, &arena) != RECORDER_LIVES)
        return 0;
    if (!arena.recorder_pid)
        return fault_set(fault, -EBUSY,
                         "%s (pid %d) is recorded already; end that recording first: memoir detach "
                         "%d",
                         status->name, (int)pid, (int)pid);
    return fault_set(
        fault, -EBUSY,
        "%s (pid %d) is recorded already, by memoir with pid %u; end that recording first: memoir "
        "detach %d",
        status->name, (int)pid, arena.recorder_pid, (int)pid);
}

/* What recording takes in the process counts for its cgroup, which must not kill it for that. */
static int check_room(pid_t pid, const struct process_status *status, struct fault *fault)
{
    struct cgroup_memory memory;
    char left[HUMAN_MAX], limit[HUMAN_MAX], needed[HUMAN_MAX];
    int64_t const need = ROOM_FOR_LIBRARY + (int64_t)status->threads * SLOT_STRIDE;
    if (cgroup_memory_read_tightest((uint32_t)pid, &memory) < 0)
        return 0;
    int64_t const room = cgroup_memory_room(&memory);
    if (room >= need)
        return 0;
    return fault_set(
        fault, -ENOMEM,
        "%s (pid %d) has %s left of the %s that its cgroup %s may use, and recording needs up to "
        "%s in it; raise the limit of the cgroup, or use memoir map %d, which needs no memory in "
        "the process",
        status->name, (int)pid, human_bytes(room > 0 ? room : 0, left),
        human_bytes(memory.limit, limit), memory.path, human_bytes(need, needed), (int)pid);
}

/* Half of the room is the program's, which may grow. */
uint32_t target_slots(pid_t pid)
{
    struct cgroup_memory memory;
    struct process_status status;
    if (cgroup_memory_read_tightest((uint32_t)pid, &memory) < 0 ||
        process_status_read((uint32_t)pid, 0, &status) < 0)
        return ARENA_SLOTS;
    int64_t const slots = (cgroup_memory_room(&memory) / 2 - ROOM_FOR_LIBRARY) / SLOT_STRIDE;
    int64_t const least = status.threads ? status.threads : 1;
    return (uint32_t)(slots < least ? least : slots < ARENA_SLOTS ? slots : ARENA_SLOTS);
}

/* Nor for its address space: a library that finds too little of it stays mapped. */
static int check_address_space(pid_t pid, const struct process_status *status, struct fault *fault)
{
    struct rlimit limit;
    struct map_list maps;
    char left[HUMAN_MAX], whole[HUMAN_MAX], needed[HUMAN_MAX];
    uint64_t used = 0, need = SPACE_FOR_LIBRARY + SPACE_FOR_ARENA;
    if (prlimit(pid, RLIMIT_AS, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
        map_list_read((uint32_t)pid, &maps) < 0)
        return 0;
    vec_each (region, &maps.regions) {
        used += region->end - region->start;
        if (strstr(region->name, "libmemoir.so"))
            need = SPACE_FOR_ARENA;
    }
    map_list_fini(&maps);
    if (used + need <= limit.rlim_cur)
        return 0;
    return fault_set(
        fault, -ENOMEM,
        "%s (pid %d) has %s left of its address space, which is limited to %s (ulimit -v), and "
        "recording needs %s of it at least: `prlimit --pid %d --as=unlimited` removes the limit",
        status->name, (int)pid,
        human_bytes(used < limit.rlim_cur ? (int64_t)(limit.rlim_cur - used) : 0, left),
        human_bytes((int64_t)limit.rlim_cur, whole), human_bytes((int64_t)need, needed), (int)pid);
}

int target_check(pid_t pid, struct fault *fault)
{
    struct process_status status;
    if (pid <= 0 || process_status_read((uint32_t)pid, 0, &status) < 0)
        return gone(pid, fault);
    int err = check_kind(pid, &status, fault);
    if (err == 0)
        err = check_free(pid, &status, fault);
    if (err == 0)
        err = check_permission(pid, fault);
    if (err == 0)
        err = check_program(pid, &status, fault);
    if (err == 0)
        err = check_unrecorded(pid, &status, fault);
    if (err == 0)
        err = check_sandbox(pid, &status, fault);
    if (err == 0)
        err = check_room(pid, &status, fault);
    if (err == 0)
        err = check_address_space(pid, &status, fault);
    return err;
}
