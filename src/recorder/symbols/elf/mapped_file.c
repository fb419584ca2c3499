/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/elf/mapped_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign/foreign_request.h"
#include "foreign/foreign_file.h"
#include "procfs/process/proc_open.h"

static const struct foreign_limits limits = {.bytes_max = FOREIGN_ELF_MAX};

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
    char name[PATH_MAX], root[PATH_MAX];
    ssize_t const outer = proc_read_link(pid, PROC_ROOT, root, sizeof(root));
    if (outer <= 0 || proc_read_link(pid, PROC_EXE, name, sizeof(name)) <= 0)
        return -ENOENT;
    bool const is_inside = outer > 1 && strncmp(name, root, (size_t)outer) == 0;
    if (!is_path(name, path) && !(is_inside && is_path(name + outer, path)))
        return -ENOENT;
    int const fd = foreign_program_open(pid, &limits, NULL);
    return fd < 0 ? -ENOENT : fd;
}

/* Others the kernel keeps links to, one for each mapping; for those who may look. */
static int open_mapping(unsigned pid, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    int fd = -ENOENT;
    FILE *maps = proc_open_stream(pid, PROC_MAPS);
    while (maps && fd < 0 && getline(&line, &room, maps) > 0) {
        unsigned long start, end;
        int at = 0;
        line[strcspn(line, "\n")] = '\0';
        /* NOLINTNEXTLINE(cert-err34-c): the kernel's numbers */
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &at) != 2 || at == 0 ||
            !is_path(line + at, path))
            continue;
        fd = foreign_mapping_open(pid, start, end, &limits, NULL);
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
    if (foreign_is_asked())
        return foreign_ask_path(FOREIGN_MAPPED, root, path, &limits);
    /* NOLINTNEXTLINE(cert-err34-c): a path of ours */
    if (sscanf(root, "/proc/%u/%7s", &pid, rest) != 2 || strcmp(rest, "root") != 0)
        return -ENOENT;
    int const fd = open_executable(pid, path);
    return fd >= 0 ? fd : open_mapping(pid, path);
}
