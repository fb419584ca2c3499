/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/open_source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int open_source(const char *path, struct source *source, struct fault *fault)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not make us wait */
    if (fd < 0 || fstat(fd, &status) < 0) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        return fault_set(fault, code, "cannot open '%s': %s%s", path, strerror(-code),
                         code == -ENOENT ? "; memoir run -- PROGRAM makes a recording" : "");
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return fault_set(fault, -EINVAL,
                         "cannot read '%s' as a recording: it is not a regular file", path);
    }
    *source = (struct source){.fd = fd, .size = (uint64_t)status.st_size};
    return 0;
}
