/* SPDX-License-Identifier: Apache-2.0 */
#include "store/growing_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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
    return file->fd < 0 ? -errno : 0;
}

int growing_file_append(struct growing_file *file, const void *data, size_t size)
{
    size_t done = 0;
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
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
