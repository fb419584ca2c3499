/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/agent_selftest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/watch_permission.h"
#include "base/clock.h"

#define WORK_NS 8000000u

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

/* Works for a few milliseconds, and waits for one. */
static void work_and_wait(void)
{
    /* Of its own time: others may have the processor meanwhile. */
    uint64_t const end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_NS;
    struct timespec const rest = {.tv_nsec = 1000000};
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
    nanosleep(&rest, NULL);
}

/* Whether samples and waits of ourselves are told. */
static void test_time(struct kernel_side *side, uint32_t peer, uint32_t pid, struct fault *no_time)
{
    struct kernel_watch itself = {
        .peer = peer, .pid = pid, .watch = AGENT_WATCH_CPU, .hz = AGENT_HZ_MAX};
    struct agent_counters before, samples, both;
    kernel_side_counters(side, peer, &before);
    int err = kernel_side_watch(side, &itself, no_time);
    if (err == 0)
        work_and_wait();
    kernel_side_counters(side, peer, &samples);
    itself.watch = AGENT_WATCH_WAITS;
    if (err == 0)
        err = kernel_side_watch(side, &itself, no_time);
    if (err == 0)
        work_and_wait();
    kernel_side_counters(side, peer, &both);
    if (err == 0 && (samples.records == before.records || both.records == samples.records))
        fault_set(no_time, -ENOTSUP, "the kernel reports no events of them");
}

/* Whether the kernel tells what an open /proc/PID/mem is, and what is none. */
static int test_proof(struct kernel_side *side, const char *proc, struct fault *fault)
{
    char path[4096];
    struct kernel_proof own = {.memory = 0}, none = {.memory = 0};
    snprintf(path, sizeof(path), "%s/self/mem", proc);
    int const mem = open(path, O_RDONLY | O_CLOEXEC), folder = open(proc, O_RDONLY | O_CLOEXEC);
    int err = mem < 0 || folder < 0 ? -errno : 0;
    if (err == 0)
        err = kernel_side_prove(side, mem, &own);
    if (err == 0)
        err = kernel_side_prove(side, folder, &none);
    if (mem >= 0)
        close(mem);
    if (folder >= 0)
        close(folder);
    if (err == 0 && own.memory && !none.memory && (!own.has_owner || own.owner))
        return 0;
    return fault_set(fault, err < 0 ? err : -ENOTSUP,
                     "the kernel does not tell the agent whose memory an open /proc/PID/mem is%s%s",
                     err < 0 ? ": " : "", err < 0 ? strerror(-err) : "");
}

int agent_selftest(struct kernel_side *side, const char *proc, struct fault *no_time,
                   struct fault *fault)
{
    uint32_t peer, bytes, pid = own_number(proc);
    struct agent_counters counters;
    int ring;
    if (pid == 0)
        return fault_set(fault, -ENOENT,
                         "the agent does not find its own process in %s: mount the machine's /proc "
                         "and give that folder with --proc DIR",
                         proc);
    int err = kernel_side_add_peer(side, 0, &peer, &ring, &bytes, fault);
    if (err < 0)
        return err;
    struct kernel_watch itself = {.peer = peer, .pid = pid, .watch = AGENT_WATCH_FAULTS};
    err = test_proof(side, proc, fault);
    if (err == 0)
        err = kernel_side_watch(side, &itself, fault);
    if (err == 0)
        err = touch();
    kernel_side_counters(side, peer, &counters);
    kernel_side_unwatch(side, peer, pid);
    if (err == 0)
        test_time(side, peer, pid, no_time);
    kernel_side_remove_peer(side, peer);
    if (err == 0 && counters.records == 0)
        return fault_set(
            fault, -ENOTSUP,
            "the PIDs in %s are not those of the kernel (the agent is in a PID namespace): give "
            "the machine's own /proc with --proc DIR, or leave the namespace",
            proc);
    return err;
}
