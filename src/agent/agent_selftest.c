/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_selftest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/watch_permission.h"

/* Touches a page that was never touched. */
static int touch(void)
{
    size_t const size = 1u << 16;
    char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -errno;
    *(volatile char *)page = 1;
    munmap(page, size);
    return 0;
}

static uint32_t own_number(const char *proc)
{
    int self = (int)syscall(SYS_pidfd_open, getpid(), 0);
    uint32_t pid = self < 0 ? 0 : pidfd_number(proc, self);
    if (self >= 0)
        close(self);
    return pid;
}

int agent_selftest(struct kernel_side *side, const char *proc, struct fault *fault)
{
    uint32_t peer, bytes, pid = own_number(proc);
    struct agent_counters counters;
    int ring;
    if (pid == 0)
        return fault_set(fault, -ENOENT,
                         "the agent does not find itself in %s: mount the machine's /proc "
                         "and give it with --proc DIR",
                         proc);
    int err = kernel_side_add_peer(side, 0, &peer, &ring, &bytes, fault);
    if (err < 0)
        return err;
    struct kernel_watch itself = {.peer = peer, .pid = pid, .watch = AGENT_WATCH_FAULTS};
    err = kernel_side_watch(side, &itself, fault);
    if (err == 0)
        err = touch();
    kernel_side_counters(side, peer, &counters);
    kernel_side_remove_peer(side, peer);
    if (err == 0 && counters.records == 0)
        return fault_set(
            fault, -ENOTSUP,
            "the kernel knows processes by other numbers than %s here (we are in a pid "
            "namespace): give the machine's own /proc with --proc DIR, or leave the namespace",
            proc);
    return err;
}
