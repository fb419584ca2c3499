/* SPDX-License-Identifier: Apache-2.0 */
/* write_memory.c - memoir_write_memory of memoir.h, for the library that services link. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "process_map/memory_page.h"
#include "memoir.h"

__attribute__((visibility("default"))) int memoir_write_memory(int fd, unsigned top, unsigned flags)
{
    struct process_snapshot_options const options = {.way = SNAPSHOT_AUTO,
                                                     .top = top ? top : BREAKDOWN_TOP};
    struct breakdown_view const view = {.top = top ? top : BREAKDOWN_TOP,
                                        .without_addresses = !(flags & MEMOIR_MEMORY_ADDRESSES)};
    struct fault fault = {.text = ""};
    int const own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *out = own < 0 ? NULL : fdopen(own, "w");
    if (!out) {
        int const error = errno;
        if (own >= 0)
            close(own);
        errno = error;
        return -1;
    }
    int err = memory_page_write((uint32_t)getpid(), &options, &view, out, &fault);
    if (fclose(out) != 0 && err == 0)
        err = -errno;
    errno = -err;
    return err < 0 ? -1 : 0;
}
