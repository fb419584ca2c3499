/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/open_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "procfs/process/own_program.h"
#include "procfs/process/proc_open.h"

#define LEVELS_MAX 32 /* the kernel's own limit on nested pid namespaces */

static bool is_called(uint32_t pid, const char *program)
{
    char target[PATH_MAX];
    if (proc_read_link(pid, PROC_EXE, target, sizeof(target)) <= 0)
        return false;
    const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
    size_t const size = strlen(program);
    return strncmp(name, program, size) == 0 &&
           (name[size] == '\0' || strcmp(name + size, " (deleted)") == 0);
}

/* Files that are open for reading only are not what is looked for. */
static bool is_written(DIR *folder, const char *fd)
{
    struct stat link, file;
    return fstatat(dirfd(folder), fd, &link, AT_SYMLINK_NOFOLLOW) == 0 &&
           (link.st_mode & S_IWUSR) && fstatat(dirfd(folder), fd, &file, 0) == 0 &&
           S_ISREG(file.st_mode);
}

/* What was opened, not what was there before. */
static bool is_ours(int fd)
{
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           (about.st_uid == geteuid() || about.st_uid == 0);
}

static int add_file(uint32_t pid, DIR *folder, const char *fd, struct open_files *files)
{
    struct open_file file = {.pid = pid};
    if (fd[0] == '.' || !is_written(folder, fd))
        return 0;
    file.fd = openat(dirfd(folder), fd, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file.fd < 0)
        return 0;
    snprintf(file.path, sizeof(file.path), "/proc/%u/fd/%.16s", pid, fd);
    if (is_ours(file.fd) && vec_push(&files->files, file))
        return 0;
    int const err = is_ours(file.fd) ? -ENOMEM : 0;
    close(file.fd);
    return err;
}

/* The folder is that of one process for ever: another that gets its number later is not judged
 * here and listed there. */
static int list_files(uint32_t pid, const char *program, struct open_files *files)
{
    struct dirent *entry;
    int err = 0;
    DIR *folder = proc_open_folder(pid, PROC_FDS);
    if (!own_program_is_believed(pid, program))
        files->strangers++;
    else
        while (folder && !err && (entry = readdir(folder)))
            err = add_file(pid, folder, entry->d_name, files);
    if (folder)
        closedir(folder);
    return err;
}

int open_files_find(const char *program, struct open_files *files)
{
    struct dirent *entry;
    int err = 0;
    *files = (struct open_files){0};
    DIR *folder = opendir("/proc");
    if (!folder)
        return -errno;
    while (!err && (entry = readdir(folder))) {
        uint32_t const pid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (pid > 0 && is_called(pid, program))
            err = list_files(pid, program, files);
    }
    closedir(folder);
    if (err)
        open_files_fini(files);
    return err;
}

void open_files_fini(struct open_files *files)
{
    vec_each (file, &files->files)
        if (file->fd >= 0)
            close(file->fd);
    vec_free(&files->files);
}

/* The numbers of a process from our pid namespace inward; how many there are. */
static size_t read_numbers(uint32_t pid, uint32_t numbers[LEVELS_MAX])
{
    char line[512];
    size_t count = 0;
    FILE *file = proc_open_stream(pid, PROC_STATUS);
    if (!file)
        return 0;
    while (fgets(line, sizeof(line), file)) {
        if (strncmp(line, "NSpid:", 6) != 0)
            continue;
        char *at = line + 6, *end = NULL;
        for (; count < LEVELS_MAX; at = end) {
            unsigned long const number = strtoul(at, &end, 10);
            if (end == at)
                break;
            numbers[count++] = (uint32_t)number;
        }
        break;
    }
    fclose(file);
    return count;
}

/* Whether two processes are in the same pid namespace. */
static bool share_namespace(uint32_t a, uint32_t b)
{
    struct stat of_a, of_b;
    return proc_stat(a, 0, PROC_NS_PID, &of_a) == 0 && proc_stat(b, 0, PROC_NS_PID, &of_b) == 0 &&
           of_a.st_ino == of_b.st_ino && of_a.st_dev == of_b.st_dev;
}

uint32_t process_number_for(uint32_t pid, uint32_t other)
{
    uint32_t numbers[LEVELS_MAX], others[LEVELS_MAX];
    size_t const depth = read_numbers(pid, numbers), seen_from = read_numbers(other, others);
    if (seen_from == 0 || depth < seen_from)
        return 0;
    /* At the same depth the namespaces must be the same; from further out it is taken on trust. */
    if (depth == seen_from && depth > 1 && !share_namespace(pid, other))
        return 0;
    return numbers[seen_from - 1];
}
