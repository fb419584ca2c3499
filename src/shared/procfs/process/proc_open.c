/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/proc_open.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "procfs/process/proc_asked.h"
#include "procfs/process/proc_text.h"

#define PATH_ROOM 96   /* the longest is of two addresses */
#define TEXT_READ 4096 /* of what is read by whoever is asked */

static const struct proc_asked *asked;

void proc_ask_by(const struct proc_asked *wanted)
{
    asked = wanted;
}

bool proc_is_asked(void)
{
    return asked != NULL;
}

/* The kernel looks at who reads these, and not only at who has opened them. */
static bool depends_on_reader(enum proc_file file)
{
    return file == PROC_STAT || file == PROC_SYSCALL;
}

static const struct {
    const char *name;
    int flags;
} table[PROC_FILES] = {
    [PROC_CGROUP] = {"cgroup", O_RDONLY},
    [PROC_CMDLINE] = {"cmdline", O_RDONLY},
    [PROC_COMM] = {"comm", O_RDONLY},
    [PROC_CWD] = {"cwd", O_PATH},
    [PROC_ENVIRON] = {"environ", O_RDONLY},
    [PROC_EXE] = {"exe", O_PATH},
    [PROC_FDS] = {"fd", O_RDONLY | O_DIRECTORY},
    [PROC_LIMITS] = {"limits", O_RDONLY},
    [PROC_MAPS] = {"maps", O_RDONLY},
    [PROC_MEM] = {"mem", O_RDONLY},
    [PROC_MEM_WRITE] = {"mem", O_RDWR},
    [PROC_MOUNTINFO] = {"mountinfo", O_RDONLY},
    [PROC_NS_MNT] = {"ns/mnt", O_RDONLY},
    [PROC_NS_NET] = {"ns/net", O_RDONLY},
    [PROC_NS_PID] = {"ns/pid", O_RDONLY},
    [PROC_NS_UTS] = {"ns/uts", O_RDONLY},
    [PROC_PAGEMAP] = {"pagemap", O_RDONLY},
    [PROC_ROOT] = {"root", O_PATH | O_DIRECTORY},
    [PROC_SMAPS] = {"smaps", O_RDONLY},
    [PROC_SMAPS_ROLLUP] = {"smaps_rollup", O_RDONLY},
    [PROC_STAT] = {"stat", O_RDONLY},
    [PROC_STATM] = {"statm", O_RDONLY},
    [PROC_STATUS] = {"status", O_RDONLY},
    [PROC_SYSCALL] = {"syscall", O_RDONLY},
    [PROC_TASKS] = {"task", O_RDONLY | O_DIRECTORY},
    [PROC_ITSELF] = {".", O_PATH | O_DIRECTORY},
};

static void write_path(char path[PATH_ROOM], uint32_t pid, uint32_t tid, enum proc_file file)
{
    INVARIANT(file < PROC_FILES);
    if (tid)
        snprintf(path, PATH_ROOM, "/proc/%u/task/%u/%s", pid, tid, table[file].name);
    else
        snprintf(path, PATH_ROOM, "/proc/%u/%s", pid, table[file].name);
}

int proc_open(uint32_t pid, uint32_t tid, enum proc_file file)
{
    char path[PATH_ROOM];
    if (asked)
        return asked->open(pid, tid, file);
    write_path(path, pid, tid, file);
    int const fd = open(path, table[file].flags | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int proc_mapped_system(uint32_t pid, uint64_t start, uint64_t end, struct statfs *about)
{
    char path[PATH_ROOM];
    if (asked)
        return asked->mapped_system(pid, start, end, about);
    snprintf(path, sizeof(path), "/proc/%u/map_files/%" PRIx64 "-%" PRIx64, pid, start, end);
    return statfs(path, about) < 0 ? -errno : 0;
}

FILE *proc_open_stream(uint32_t pid, enum proc_file file)
{
    int const fd = proc_open(pid, 0, file);
    FILE *const stream = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd < 0)
        errno = -fd;
    else if (!stream)
        close(fd);
    return stream;
}

DIR *proc_open_folder(uint32_t pid, enum proc_file file)
{
    int const fd = proc_open(pid, 0, file);
    DIR *const folder = fd < 0 ? NULL : fdopendir(fd);
    if (fd < 0)
        errno = -fd;
    else if (!folder)
        close(fd);
    return folder;
}

ssize_t proc_read_link(uint32_t pid, enum proc_file file, char *text, size_t size)
{
    char path[PATH_ROOM];
    if (asked)
        return asked->link(pid, file, text, size);
    write_path(path, pid, 0, file);
    ssize_t const length = readlink(path, text, size - 1);
    int const err = length < 0 ? -errno : 0;
    text[length > 0 ? length : 0] = '\0';
    return err ? err : length;
}

int proc_stat(uint32_t pid, uint32_t tid, enum proc_file file, struct stat *about)
{
    char path[PATH_ROOM];
    if (asked)
        return asked->stat(pid, tid, file, about);
    write_path(path, pid, tid, file);
    return stat(path, about) < 0 ? -errno : 0;
}

int proc_stat_below(uint32_t pid, const char *path, struct stat *about)
{
    struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    if (asked)
        return asked->stat_below(pid, path, about);
    int const root = proc_open(pid, 0, PROC_ROOT);
    if (root < 0)
        return root;
    int const fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
    int const err = fd < 0 || fstat(fd, about) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    close(root);
    return err;
}

static int ask_text(uint32_t pid, uint32_t tid, enum proc_file file, char **text)
{
    char *room = malloc(TEXT_READ);
    ssize_t const got = room ? asked->read(pid, tid, file, room, TEXT_READ) : -ENOMEM;
    if (got < 0) {
        free(room);
        return (int)got;
    }
    *text = room;
    return 0;
}

int proc_read_text(uint32_t pid, uint32_t tid, enum proc_file file, size_t max, char **text)
{
    if (asked && depends_on_reader(file)) {
        *text = NULL;
        return ask_text(pid, tid, file, text);
    }
    int const fd = proc_open(pid, tid, file);
    *text = NULL;
    if (fd < 0)
        return fd;
    int const err = proc_text_read_fd(fd, max, text);
    close(fd);
    return err;
}

ssize_t proc_read_start(uint32_t pid, uint32_t tid, enum proc_file file, char *text, size_t size)
{
    if (asked)
        return asked->read(pid, tid, file, text, size);
    return proc_text_read_start(proc_open(pid, tid, file), text, size);
}
