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
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/fair_share.h"
#include "agent/kernel_side.h"
#include "base/clock.h"
#include "bpf_programs/kernel_maps.h"
#include "wire/agent.h"

#define CLOCKS_OF_USERS 4u /* the rest is kept for root */

static void stop_clock(struct kernel_clock *clock, int cpus)
{
    for (int i = 0; clock->ticks && i < cpus; i++)
        bpf_link__destroy(clock->ticks[i]);
    free(clock->ticks);
    *clock = (struct kernel_clock){0};
}

/* One timer, which asks our program at each tick.  NULL with *err: 0 where there is no such
 * processor. */
static struct bpf_link *start_ticks(struct bpf_program *program, int cpu, uint32_t hz, int *err)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = NS_PER_SECOND / hz,
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

/* Whether any process has its samples by this clock.  Children come and go meanwhile: asked
 * twice. */
static bool has_targets(const struct kernel_time *time, uint32_t hz)
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

/* Whether somebody is awaited who will have them. */
static bool is_awaited(const struct kernel_time *time, uint32_t hz)
{
    struct agent_awaited awaited;
    struct agent_awaited_key key, next;
    int err = bpf_map_get_next_key(time->awaited_names, NULL, &next);
    for (unsigned i = 0; err == 0 && i < AGENT_AWAITED_MAX; i++) {
        key = next;
        err = bpf_map_get_next_key(time->awaited_names, &key, &next);
        if (bpf_map_lookup_elem(time->awaited_names, &key, &awaited) == 0 &&
            awaited.target.hz == hz)
            return true;
    }
    return false;
}

/* Place for one more clock of a user: a free one, or that of one that nobody needs any more.  NULL
 * when there is none, or he has as many as leave some to others. */
static struct kernel_clock *clock_place(struct kernel_time *time, uint32_t user)
{
    struct share_count count = {.of_users = CLOCKS_OF_USERS};
    struct kernel_clock *place = NULL;
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++) {
        struct kernel_clock *clock = &time->clocks[i];
        if (clock->hz && !is_awaited(time, clock->hz) && !has_targets(time, clock->hz))
            stop_clock(clock, time->cpus);
        if (clock->hz)
            share_count_one(&count, clock->user, user);
        else if (!place)
            place = clock;
    }
    return is_fair_share(&count, user) ? place : NULL;
}

/* The rates that there are, for a sentence. */
static int refuse_rate(const struct kernel_time *time, struct fault *fault)
{
    char rates[KERNEL_CLOCKS_MAX * 12] = "";
    size_t at = 0;
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++)
        if (time->clocks[i].hz)
            at += (size_t)snprintf(rates + at, sizeof(rates) - at, "%s%u", at ? ", " : "",
                                   time->clocks[i].hz);
    return fault_set(fault, -EBUSY,
                     "too many sampling rates are in use already: choose one of those in use (%s)",
                     rates);
}

static int want_clock(struct kernel_time *time, const struct kernel_watch *watch,
                      struct fault *fault)
{
    struct kernel_clock *clock = NULL;
    for (unsigned i = 0; i < KERNEL_CLOCKS_MAX; i++)
        if (time->clocks[i].hz == watch->hz)
            clock = &time->clocks[i];
    if (!clock) {
        clock = clock_place(time, watch->user);
        if (!clock)
            return refuse_rate(time, fault);
        int err = start_clock(time, clock, watch->hz, fault);
        if (err < 0)
            return err;
        clock->user = watch->user;
    }
    clock->peers |= 1ull << watch->peer;
    return 0;
}

static int want_program(struct bpf_program *program, struct bpf_link **link, uint64_t *peers,
                        uint32_t peer, struct fault *fault)
{
    if (!*link)
        *link = bpf_program__attach(program);
    if (!*link)
        return fault_set(fault, -errno,
                         "the kernel does not let the agent see context switches: "
                         "%s",
                         strerror(errno));
    *peers |= 1ull << peer;
    return 0;
}

int kernel_time_want(struct kernel_time *time, const struct kernel_watch *wanted,
                     struct fault *fault)
{
    uint32_t const peer = wanted->peer, watch = wanted->watch;
    int err = 0;
    if (!(watch & AGENT_WATCH_TIME))
        return 0;
    if (bpf_program__fd(time->on_tick) < 0)
        return fault_set(fault, -ENOTSUP,
                         "this kernel rejects the agent's BPF programs for samples and waits: the "
                         "kernel must be 6.1 or newer; --source perf works without an agent");
    if (watch & AGENT_WATCH_CPU)
        err = want_clock(time, wanted, fault);
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
