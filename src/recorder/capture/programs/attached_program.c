/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/programs/attached_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/programs/target_check.h"
#include "procfs/memory/memory_sums.h"
#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"

#define CMDLINE_MAX 65536u

void attached_program_init(struct attached_program *program, pid_t pid)
{
    *program = (struct attached_program){.pid = pid, .root_fd = -1};
}

void attached_program_fini(struct attached_program *program)
{
    if (program->root_fd >= 0)
        close(program->root_fd);
    program->root_fd = -1;
    free(program->arguments);
    program->arguments = NULL;
}

bool attached_program_sees(const struct attached_program *program, const char *path)
{
    char there[PATH_MAX];
    struct stat ours, theirs;
    snprintf(there, sizeof(there), "/proc/%d/root%.3900s", (int)program->pid, path);
    return stat(path, &ours) == 0 && stat(there, &theirs) == 0 && ours.st_dev == theirs.st_dev &&
           ours.st_ino == theirs.st_ino;
}

/* Its files, by a path that holds as long as we live; "" when they are where ours are. */
static void find_root(struct attached_program *program)
{
    if (program->root_fd >= 0)
        close(program->root_fd);
    program->root_fd = -1;
    program->root[0] = '\0';
    program->facts.root = program->root;
    if (attached_program_sees(program, "/") && attached_program_sees(program, "/proc") &&
        attached_program_sees(program, "/usr"))
        return;
    program->root_fd = proc_open((uint32_t)program->pid, 0, PROC_ROOT);
    if (program->root_fd >= 0)
        snprintf(program->root, sizeof(program->root), "/proc/self/fd/%d", program->root_fd);
}

static void find_command(struct attached_program *program)
{
    static char unknown[] = "";
    int fd, count = 0;
    ssize_t size = 0;
    free(program->arguments);
    program->arguments = calloc(1, CMDLINE_MAX + 1);
    if (program->arguments && (fd = proc_open((uint32_t)program->pid, 0, PROC_CMDLINE)) >= 0) {
        size = read(fd, program->arguments, CMDLINE_MAX);
        close(fd);
    }
    for (char *at = program->arguments;
         at && at < program->arguments + size && count < PROGRAM_WORDS_MAX; at += strlen(at) + 1)
        program->words[count++] = at;
    if (count == 0)
        program->words[count++] = unknown;
    program->words[count] = NULL;
}

void attached_program_path(const struct attached_program *program, char *path, size_t size)
{
    char root[PATH_MAX], target[PATH_MAX];
    uint32_t const pid = (uint32_t)program->pid;
    ssize_t const root_length = proc_read_link(pid, PROC_ROOT, root, sizeof(root));
    ssize_t const length = proc_read_link(pid, PROC_EXE, target, sizeof(target));
    if (root_length <= 0 || length <= 0)
        return;
    bool const inside = root_length > 1 && length > root_length && target[root_length] == '/' &&
                        memcmp(target, root, (size_t)root_length) == 0;
    const char *found = target + (inside ? root_length : 0);
    if (strlen(found) < size)
        memcpy(path, found, strlen(found) + 1);
}

int attached_program_meet(struct attached_program *program, struct fault *fault)
{
    struct process_status status;
    int err = target_check(program->pid, fault);
    if (err < 0)
        return err;
    if (process_status_read((uint32_t)program->pid, 0, &status) < 0)
        return fault_set(fault, -ESRCH, "process %d ended meanwhile", (int)program->pid);
    target_describe(program->pid, program->name, sizeof(program->name));
    program->facts.pid = (uint32_t)program->pid;
    program->facts.local_pid = status.inner_pid ? status.inner_pid : (uint32_t)program->pid;
    find_root(program);
    find_command(program);
    return 0;
}

void attached_program_weigh(struct attached_program *program)
{
    struct memory_sums sums;
    program->facts.before = (struct before){.attached = 1};
    if (memory_sums_read((uint32_t)program->pid, &sums) < 0)
        return;
    program->facts.before.rss_bytes = sums.rss_bytes;
    program->facts.before.heap_bytes = sums.heap_bytes;
    program->facts.before.anonymous_bytes = sums.anonymous_bytes;
}
