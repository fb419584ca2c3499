/* SPDX-License-Identifier: Apache-2.0 */
/* A file that somebody is about to execute. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tracer/process/next_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("image", MFD_CLOEXEC);
    if (ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size)
        (void)next_image_look(NULL, fd);
    return 0;
}
