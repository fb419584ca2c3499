/* SPDX-License-Identifier: Apache-2.0 */
/* fake_tracer.c - what is injected in tests of injection alone: keeps count, uses thread
 * storage. */
#include <errno.h>
#include <sys/stat.h>

#define EXPORTED __attribute__((visibility("default")))

static int attached;
static __thread int storage __attribute__((tls_model("initial-exec"))) = 7;
EXPORTED long fake_attaches, fake_detaches;

EXPORTED long memoir_tracer_attach(int fd, unsigned long flags)
{
    struct stat status;
    errno = ERANGE; /* must not show */
    if (storage != 7)
        return -ENOMEM;
    if (attached)
        return -EBUSY;
    if (fstat(fd, &status) < 0 || flags & ~1ul)
        return -EINVAL;
    attached = 1;
    fake_attaches++;
    return 0;
}

EXPORTED long memoir_tracer_detach(unsigned long flags __attribute__((unused)))
{
    fake_detaches += attached;
    attached = 0;
    return 0;
}
