/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/confinement.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/rings/arena_users.h"
#include "keeper/keeper.h"
#include "sandbox/sandbox.h"

#define PROCESSES_MOST 4096u /* threads, and children that look at pages */

/* What it reads by name. */
static const char *const folders[] = {"/sys/fs/cgroup", "/sys/devices/system/cpu", "/proc/pressure",
                                      "/proc/self"};
#define FOLDERS (sizeof(folders) / sizeof(folders[0]))

/* Where Yama lets a user look into the memory of descendants alone, keepers may not look into that
 * of the program, as its parent may. */
static bool keepers_may_look(void)
{
    char scope = '0';
    int const fd = open("/proc/sys/kernel/yama/ptrace_scope", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, &scope, 1) != 1)
            scope = '0';
        close(fd);
    }
    return scope == '0';
}

bool confinement_is_due(const struct recorder_options *options)
{
    return (geteuid() == 0 || keepers_may_look()) && !options->pages && !options->cpu;
}

int confinement_prepare(struct arena *arena, const struct output_place *place, const char *output,
                        struct fault *fault)
{
    struct keeper_wish const wish = {.arena = arena->memory,
                                     .arena_bytes = arena_mapped_bytes(arena),
                                     .arena_fd = arena->fd,
                                     .output = output,
                                     .folder = place->folder,
                                     .claim = place->claim};
    int const err = keeper_begin(&wish, arena->name);
    if (err < 0)
        return fault_set(fault, err, "cannot start a process beside the recorder: %s%s",
                         strerror(-err), err == -EAGAIN ? "; raise `ulimit -u`" : "");
    arena_users_rename(arena->users, arena->name);
    return 0;
}

int confinement_enter(pid_t program, bool is_started, struct fault *fault)
{
    struct sandbox_place places[FOLDERS];
    struct sandbox_wish wish = {.calls = SANDBOX_FILES | SANDBOX_CHILDREN | SANDBOX_EVENTS |
                                         SANDBOX_AGAIN,
                                .places = places,
                                .memory_bytes = SANDBOX_NO_LIMIT,
                                .file_bytes = SANDBOX_NO_LIMIT,
                                .cpu_seconds = SANDBOX_NO_LIMIT,
                                .descriptors = SANDBOX_NO_LIMIT,
                                .processes = PROCESSES_MOST,
                                /* Its user finds recordings by what it has open. */
                                .stays_dumpable = geteuid() != 0};
    struct sandbox_report report;
    int err = keeper_tell_program(program, is_started);
    if (err < 0)
        return fault_set(fault, err, "the process beside the recorder has ended");
    tzset();
    for (size_t i = 0; i < FOLDERS; i++) {
        int const fd = open(folders[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0)
            places[wish.place_count++] = (struct sandbox_place){fd, SANDBOX_READ};
    }
    err = sandbox_enter(&wish, &report, fault);
    for (size_t i = 0; i < wish.place_count; i++)
        close(places[i].fd);
    if (err == 0)
        keeper_use();
    return err;
}
