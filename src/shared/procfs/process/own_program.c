/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/own_program.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/open_files.h"
#include "procfs/process/proc_open.h"
#include "sandbox/sandbox.h"

#define STATUS_START 2048 /* of the text: the users are among its first lines */

static bool is_file(const struct stat *file, const char *path)
{
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* As helper programs are found: beside this one, or where they are installed. */
static bool is_helper(const struct stat *file, const char *name)
{
    char path[PATH_MAX];
    ssize_t const length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    char *const slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    size_t const folder = slash ? (size_t)(slash - path) : 0;
    if (slash && folder + 1 + strlen(name) < sizeof(path)) {
        strcpy(slash + 1, name);
        if (is_file(file, path))
            return true;
    }
    snprintf(path, sizeof(path), "%s/%s", MEMOIR_LIBEXEC, name);
    return is_file(file, path);
}

bool own_program_is(uint32_t pid, const char *name)
{
    struct stat its;
    return proc_stat(pid, 0, PROC_EXE, &its) == 0 &&
           (is_file(&its, "/proc/self/exe") || is_helper(&its, name));
}

static bool is_trusted(unsigned user, uint32_t pid)
{
    return user == geteuid() || user == 0 ||
           user == SANDBOX_USER_FIRST + process_number_for(pid, pid);
}

/* All users that it has: by none of them may it be a stranger's. */
static bool is_of_trusted_user(uint32_t pid)
{
    char text[STATUS_START];
    unsigned real, effective, saved, files;
    proc_read_start(pid, 0, PROC_STATUS, text, sizeof(text));
    const char *line = strstr(text, "\nUid:");
    /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
    return line && sscanf(line, "\nUid: %u %u %u %u", &real, &effective, &saved, &files) == 4 &&
           is_trusted(real, pid) && is_trusted(effective, pid) && is_trusted(saved, pid) &&
           is_trusted(files, pid);
}

bool own_program_is_believed(uint32_t pid, const char *name)
{
    return is_of_trusted_user(pid) && own_program_is(pid, name);
}
