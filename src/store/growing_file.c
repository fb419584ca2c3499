/* SPDX-License-Identifier: Apache-2.0 */
#include "store/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/write_behind.h"

/* The lock goes with the open file: also SIGKILL takes it away, and a copy never has it. */
static void mark_open(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    (void)fcntl(fd, F_OFD_SETLK, &whole); /* without locks readers only know less */
}

bool growing_file_is_open(int fd)
{
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

int growing_file_create(struct growing_file *file, const char *path)
{
    struct stat status;
    *file = (struct growing_file){.fd = -1};
    if (lstat(path, &status) == 0) {
        if (!S_ISREG(status.st_mode))
            return S_ISDIR(status.st_mode) ? -EISDIR : -EEXIST;
        if (unlink(path) < 0)
            return -errno;
    }
    file->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    file->has_name = file->fd >= 0;
    if (file->fd < 0)
        return -errno;
    mark_open(file->fd);
    return 0;
}

void growing_file_write_behind(struct growing_file *file, struct write_behind *behind)
{
    if (behind && !file->late)
        file->late = late_file_open(behind, file->fd);
}

bool growing_file_is_settled(const struct growing_file *file)
{
    return !file->late || !late_file_is_behind(file->late);
}

int growing_file_settle(struct growing_file *file)
{
    return file->late ? late_file_settle(file->late, &file->size) : 0;
}

static int append_behind(struct growing_file *file, const void *data, size_t size)
{
    int const err = late_file_put(file->late, data, size, file->size);
    if (err == 0)
        file->size += size;
    return err;
}

int growing_file_append(struct growing_file *file, const void *data, size_t size)
{
    size_t done = 0;
    if (file->late)
        return append_behind(file, data, size);
    while (done < size) {
        ssize_t wrote =
            pwrite(file->fd, (const char *)data + done, size - done, (off_t)(file->size + done));
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0) {
            int err = wrote < 0 ? -errno : -ENOSPC;
            /* If even this fails, the next piece overwrites the torn one, and readers see through.
             */
            (void)!ftruncate(file->fd, (off_t)file->size);
            return err;
        }
        done += (size_t)wrote;
    }
    file->size += size;
    return 0;
}

void growing_file_close(struct growing_file *file)
{
    late_file_close(file->late);
    file->late = NULL;
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

/* The way to a file that is open, and so to one without a name. */
static const char *open_file_path(const struct growing_file *file, char text[64])
{
    snprintf(text, 64, "/proc/self/fd/%d", file->fd);
    return text;
}

static int open_nameless(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return -1;
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    free(folder);
    return fd;
}

int growing_file_create_beside(struct growing_file *file, const char *path, const char *temporary)
{
    char text[64];
    *file = (struct growing_file){.fd = open_nameless(path)};
    if (file->fd >= 0 && access(open_file_path(file, text), F_OK) == 0) {
        mark_open(file->fd);
        return 0;
    }
    growing_file_close(file); /* no such file system, or no /proc to name it later */
    return growing_file_create(file, temporary);
}

int growing_file_replace(struct growing_file *file, const char *path, const char *temporary)
{
    char text[64];
    if (fsync(file->fd) < 0)
        return -errno;
    if (!file->has_name) {
        unlink(temporary);
        if (linkat(AT_FDCWD, open_file_path(file, text), AT_FDCWD, temporary, AT_SYMLINK_FOLLOW) <
            0)
            return -errno;
        file->has_name = true;
    }
    return rename(temporary, path) < 0 ? -errno : 0;
}

void growing_file_discard(struct growing_file *file, const char *temporary)
{
    if (file->fd >= 0 && file->has_name)
        unlink(temporary);
    growing_file_close(file);
}
