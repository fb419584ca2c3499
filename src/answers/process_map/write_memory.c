/* SPDX-License-Identifier: Apache-2.0 */
/* write_memory.c - implements memoir_write_memory of memoir.h, for the library that services
 * link. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "memoir.h"
#include "process_map/snapshot.h"
#include "report/breakdown/breakdown_report.h"

/* Returns 0; an error of snapshot_read, with nothing written; or -EIO when `out` fails. */
static int write_page(uint32_t pid, const struct process_snapshot_options *options,
                      const struct breakdown_view *view, FILE *out, struct fault *fault)
{
    struct process_snapshot snapshot;
    int const err = snapshot_read(&snapshot, pid, options, fault);
    if (err < 0)
        return err;
    breakdown_text_write(&snapshot.breakdown, view, out);
    snapshot_fini(&snapshot);
    return fflush(out) == 0 && !ferror(out) ? 0 : fault_set(fault, -EIO, "cannot write the page");
}

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
    int err = write_page((uint32_t)getpid(), &options, &view, out, &fault);
    if (fclose(out) != 0 && err == 0)
        err = -errno;
    errno = -err;
    return err < 0 ? -1 : 0;
}
