/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/chunks/chunk.h"
#include "store/write/growing_file.h"

static bool is_recording(int fd)
{
    uint8_t header[FILE_HEADER_BYTES];
    return pread(fd, header, sizeof(header), 0) == (ssize_t)sizeof(header) &&
           file_header_check(header) != -EINVAL; /* also of another version */
}

/* 0, -EBUSY or -EEXIST, of a regular file.  One that nobody may read is not known to be a
 * recording. */
static int check_file(const char *path)
{
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat about;
    int err = -EEXIST;
    if (fd < 0)
        return err;
    if (growing_file_is_open(fd))
        err = -EBUSY;
    else if ((fstat(fd, &about) == 0 && about.st_size == 0) || is_recording(fd))
        err = 0;
    close(fd);
    return err;
}

int place_busy(const char *path, struct fault *fault)
{
    return fault_set(fault, -EBUSY,
                     "%s is being written by another memoir; choose another name with -o", path);
}

int place_check(const char *path, struct fault *fault)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return 0; /* whoever makes it finds out */
    if (!S_ISREG(about.st_mode))
        return fault_set(fault, -EINVAL,
                         "%s is a folder, a pipe or a device; choose a name for a new file with -o",
                         path);
    int const err = check_file(path);
    if (err == -EBUSY)
        return place_busy(path, fault);
    if (err < 0)
        return fault_set(
            fault, err,
            "%s exists and is not a recording, so memoir does not overwrite it; choose another "
            "name with -o, or give --force",
            path);
    return 0;
}

int place_clear(const char *path, struct fault *fault)
{
    int const err = place_check(path, fault);
    if (err != -EEXIST)
        return err;
    if (unlink(path) < 0)
        return fault_set(fault, -errno, "cannot remove %s: %s", path, strerror(errno));
    return 0;
}

int place_put_aside(const char *path)
{
    char aside[PATH_MAX];
    struct stat older;
    if (stat(path, &older) < 0 || !S_ISREG(older.st_mode) || older.st_size == 0)
        return 0;
    if (snprintf(aside, sizeof(aside), "%s~", path) >= (int)sizeof(aside))
        return -ENAMETOOLONG;
    return renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) < 0 ? -errno : 1;
}

/* FILE.0123456789abcdef.tmp */
static bool is_copy_of(const char *name, const char *file)
{
    size_t const length = strlen(file);
    const char *number = name + length + 1;
    return strncmp(name, file, length) == 0 && name[length] == '.' &&
           strspn(number, "0123456789abcdef") == 16 && strcmp(number + 16, ".tmp") == 0;
}

void place_tidy(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
    DIR *dir = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char *name = NULL;
        if (is_copy_of(entry->d_name, slash ? slash + 1 : path) &&
            asprintf(&name, "%s%s", folder, entry->d_name) > 0 && place_check(name, NULL) == 0)
            (void)unlink(name);
        free(name);
    }
    if (dir)
        closedir(dir);
    free(folder);
}
