/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/whole_write.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/invariant.h"

#define LAST_WORDS ((uint64_t)16 << 10)

/* Only a disk that is full refuses; one that knows no such thing is written to as far as it
 * goes. */
static int reserve(int fd, uint64_t end, uint64_t *reserved)
{
    if (end <= *reserved)
        return 0;
    int err = -EINTR;
    while (err == -EINTR)
        err = fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)*reserved, (off_t)(end - *reserved)) < 0
                  ? -errno
                  : 0;
    if (err == -ENOSPC || err == -EDQUOT)
        return err;
    *reserved = err == 0 ? end : UINT64_MAX;
    return 0;
}

int whole_write(int fd, const void *data, size_t size, uint64_t offset, uint64_t *reserved)
{
    size_t done = 0;
    int err = reserved ? reserve(fd, offset + size + LAST_WORDS, reserved) : 0;
    while (err == 0 && done < size) {
        ssize_t const wrote =
            pwrite(fd, (const char *)data + done, size - done, (off_t)(offset + done));
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote == 0 || errno != EINTR)
            err = wrote < 0 ? -errno : -ENOSPC;
    }
    INVARIANT(done <= size && (err < 0 || done == size));
    if (done == 0 || err == 0)
        return err;
    /* If even this fails, the next piece overwrites the torn one, and readers see through. */
    (void)!ftruncate(fd, (off_t)offset);
    if (reserved && *reserved != UINT64_MAX)
        *reserved = offset;
    return err;
}
