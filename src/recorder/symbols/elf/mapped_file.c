/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether `name`, which the kernel may have marked, is `path`. */
static bool is_path(const char *name, const char *path)
{
    size_t const size = strlen(path);
    return strncmp(name, path, size) == 0 &&
           (!name[size] || strcmp(name + size, " (deleted)") == 0);
}

/* The executable needs no privilege. */
static int open_executable(unsigned pid, const char *path)
{
    char link[64], name[PATH_MAX], root[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/%u/root", pid);
    ssize_t const outer = readlink(link, root, sizeof(root) - 1);
    snprintf(link, sizeof(link), "/proc/%u/exe", pid);
    ssize_t const size = readlink(link, name, sizeof(name) - 1);
    if (size <= 0 || outer <= 0)
        return -ENOENT;
    name[size] = root[outer] = '\0';
    bool const is_inside = outer > 1 && strncmp(name, root, (size_t)outer) == 0;
    if (!is_path(name, path) && !(is_inside && is_path(name + outer, path)))
        return -ENOENT;
    int fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    return fd < 0 ? -ENOENT : fd;
}

/* Others the kernel keeps links to, one for each mapping; for those who may look. */
static int open_mapping(unsigned pid, const char *path)
{
    char link[128], *line = NULL;
    size_t room = 0;
    int fd = -ENOENT;
    snprintf(link, sizeof(link), "/proc/%u/maps", pid);
    FILE *maps = fopen(link, "re");
    while (maps && fd < 0 && getline(&line, &room, maps) > 0) {
        unsigned long start, end;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &at) != 2 || at == 0 ||
            !is_path(line + at, path))
            continue;
        snprintf(link, sizeof(link), "/proc/%u/map_files/%lx-%lx", pid, start, end);
        fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
            break;
    }
    if (maps)
        fclose(maps);
    free(line);
    return fd < 0 ? -ENOENT : fd;
}

int mapped_file_open(const char *root, const char *path)
{
    unsigned pid;
    char rest[8];
    if (sscanf(root, "/proc/%u/%7s", &pid, rest) != 2 || strcmp(rest, "root") != 0)
        return -ENOENT;
    int const fd = open_executable(pid, path);
    return fd >= 0 ? fd : open_mapping(pid, path);
}
