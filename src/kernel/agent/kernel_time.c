/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/kernel_time.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_programs/kernel_maps.h"
#include "wire/agent.h"

static void stop_clock(struct kernel_clock *clock, int cpus)
{
    for (int i = 0; clock->ticks && i < cpus; i++)
        bpf_link__destroy(clock->ticks[i]);
    free(clock->ticks);
    *clock = (struct kernel_clock){0};
}

/* Two descriptors per processor and clock are more than 1024 on a large machine. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == limit.rlim_max)
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* One timer, which asks our program at each tick.  NULL with *err: 0 where there is no such processor. */
static struct bpf_link *start_ticks(struct bpf_program *program, int cpu, uint32_t hz, int *err)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = 1000000000u / hz,
                                   .disabled = 1,
                                   .exclude_idle = 1};
    LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = hz);
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    *err = fd >= 0 || errno == ENODEV ? 0 : -errno;
    if (fd < 0)
        return NULL;
    struct bpf_link *link = bpf_program__attach_perf_event_opts(program, fd, &options);
    if (!link) {
        *err = -errno;
        close(fd);
    }
    return link;
}

static int start_clock(struct kernel_time *time, struct kernel_clock *clock, uint32_t hz,
                       struct fault *fault)
{
    int err = 0;
    allow_descriptors();
    *clock = (struct kernel_clock){.hz = hz};
    clock->ticks = calloc((size_t)time->cpus, sizeof(struct bpf_link *));
    if (!clock->ticks)
        err = -ENOMEM;
    for (int cpu = 0; err == 0 && cpu < time->cpus; cpu++)
        clock->ticks[cpu] = start_ticks(time->on_tick, cpu, hz, &err);
    if (err == 0)
        return 0;
    stop_clock(clock, time->cpus);
    return fault_set(fault, err, "the kernel gives the agent no timers for samples: %s",
                     strerror(-err));
}

/* Whether any process has its samples by this clock.  Children come and go meanwhile: asked twice. */
static bool is_needed(const struct kernel_time *time, uint32_t hz)
{
    struct agent_target target;
    uint32_t pid, next;
    for (int round = 0; round < 2; round++) {
        int err = bpf_map_get_next_key(time->targets, NULL, &next);
        for (unsigned i = 0; err == 0 && i < 2 * AGENT_TARGETS_MAX; i++) {
            pid = next;
            err = bpf_map_get_next_key(time->targets, &pid, &next);
            if (bpf_map_lookup_elem(time->targets, &pid, &target) == 0 && target.hz == hz)
                return true;
        }
    }
    return false;
}

/* Place for one more clock: a free one, or that of one that nobody needs any more.  NULL when there is none. */
static struct kernel_clock *clock_place(struct kernel_time *time)
{
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++)
        if (time->clocks[i].hz == 0)
            return &time->clocks[i];
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++)
        if (!is_needed(time, time->clocks[i].hz)) {
            stop_clock(&time->clocks[i], time->cpus);
            return &time->clocks[i];
        }
    return NULL;
}

static int want_clock(struct kernel_time *time, uint32_t peer, uint32_t hz, struct fault *fault)
{
    const struct kernel_clock *clocks = time->clocks;
    struct kernel_clock *clock = NULL;
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++)
        if (clocks[i].hz == hz)
            clock = &time->clocks[i];
    if (!clock) {
        clock = clock_place(time);
        if (!clock)
            return fault_set(fault, -EBUSY,
                             "%u other rates are in use already: ask for %u, %u, %u or %u samples "
                             "a second",
                             KERNEL_CLOCKS_MAX, clocks[0].hz, clocks[1].hz, clocks[2].hz,
                             clocks[3].hz);
        int err = start_clock(time, clock, hz, fault);
        if (err < 0)
            return err;
    }
    clock->peers |= 1ull << peer;
    return 0;
}

static int want_program(struct bpf_program *program, struct bpf_link **link, uint64_t *peers,
                        uint32_t peer, struct fault *fault)
{
    if (!*link)
        *link = bpf_program__attach(program);
    if (!*link)
        return fault_set(fault, -errno, "the kernel does not let the agent see threads switch: %s",
                         strerror(errno));
    *peers |= 1ull << peer;
    return 0;
}

int kernel_time_want(struct kernel_time *time, uint32_t peer, uint32_t watch, uint32_t hz,
                     struct fault *fault)
{
    int err = 0;
    if (!(watch & AGENT_WATCH_TIME))
        return 0;
    if (bpf_program__fd(time->on_tick) < 0)
        return fault_set(fault, -ENOTSUP,
                         "this kernel does not take the agent's programs for samples and waits: "
                         "it must be 6.1 or newer; --source perf works without");
    if (watch & AGENT_WATCH_CPU)
        err = want_clock(time, peer, hz, fault);
    if (err == 0)
        err = want_program(time->on_rename, &time->names, &time->name_peers, peer, fault);
    if (err == 0 && watch & AGENT_WATCH_WAITS)
        err = want_program(time->on_switch, &time->switches, &time->wait_peers, peer, fault);
    return err;
}

static void leave_program(struct bpf_link **link, uint64_t *peers, uint32_t peer)
{
    *peers &= ~(1ull << peer);
    if (*peers)
        return;
    bpf_link__destroy(*link);
    *link = NULL;
}

void kernel_time_leave(struct kernel_time *time, uint32_t peer)
{
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++) {
        struct kernel_clock *clock = &time->clocks[i];
        clock->peers &= ~(1ull << peer);
        if (clock->hz && !clock->peers)
            stop_clock(clock, time->cpus);
    }
    leave_program(&time->names, &time->name_peers, peer);
    leave_program(&time->switches, &time->wait_peers, peer);
    if (!time->wait_peers)
        kernel_time_forget(time, 0);
}

void kernel_time_forget(struct kernel_time *time, uint32_t pid)
{
    struct agent_waiter waiter;
    uint32_t tid, next;
    int err = bpf_map_get_next_key(time->waiters, NULL, &next);
    for (unsigned i = 0; err == 0 && i < 2 * AGENT_THREADS_MAX; i++) {
        tid = next;
        err = bpf_map_get_next_key(time->waiters, &tid, &next);
        if (bpf_map_lookup_elem(time->waiters, &tid, &waiter) == 0 &&
            (pid == 0 || waiter.pid == pid))
            bpf_map_delete_elem(time->waiters, &tid);
    }
}

void kernel_time_tell_waits(const struct kernel_time *time, uint32_t pid)
{
    union bpf_iter_link_info process = {.task.pid = pid};
    LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &process,
                .link_info_len = sizeof(process));
    struct bpf_link *link =
        time->switches ? bpf_program__attach_iter(time->on_each_thread, &options) : NULL;
    int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
    char nothing[64];
    while (fd >= 0 && read(fd, nothing, sizeof(nothing)) > 0)
        ;
    if (fd >= 0)
        close(fd);
    bpf_link__destroy(link);
}
