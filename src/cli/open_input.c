/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/open_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/slice.h"
#include "store/recording_reader.h"

#define HEAD_MAX 64

struct reader {
    bool (*knows)(
        struct slice head); /* by the first bytes; NULL: the last resort, gives the error */
    struct recording *(*read)(const char *path, struct fault *fault);
};

/* Foreign formats go before the last line, which knows everything. */
static const struct reader readers[] = {
    {NULL, recording_read},
};

/* The first bytes, or -errno.  A folder or a device is not read at all: the sentence says so. */
static int read_head(const char *path, char head[HEAD_MAX], struct fault *fault)
{
    struct stat about;
    int const fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fault_set(fault, -errno, "cannot open %s: %s", path, strerror(errno));
    ssize_t size = -1;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        size = pread(fd, head, HEAD_MAX, 0);
    else
        errno = EINVAL;
    int const err = errno;
    close(fd);
    if (size >= 0)
        return (int)size;
    return fault_set(fault, -err, "cannot read %s: %s", path,
                     err == EINVAL ? "it is not an ordinary file" : strerror(err));
}

struct recording *open_input(const char *path, struct fault *fault)
{
    char head[HEAD_MAX];
    int const size = read_head(path, head, fault);
    if (size < 0)
        return NULL;
    const struct reader *reader = readers;
    while (reader->knows && !reader->knows((struct slice){head, (size_t)size}))
        reader++;
    return reader->read(path, fault);
}
