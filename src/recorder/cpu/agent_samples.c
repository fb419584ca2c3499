/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/agent_samples.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/vec.h"

#define CONNECT_NS  NS_PER_SECOND
#define COUNTERS_NS 500000000ull
#define AT_ONCE     ((size_t)1 << 20)
#define REST_MS     20 /* a new stack shall be known before it is copied many times */

struct agent_target_name {
    uint32_t pid, known_as;
};

struct agent_samples {
    struct agent_samples_options options;
    struct agent_link *link; /* NULL: it is gone */
    VEC(struct agent_target_name) targets;
    struct agent_samples_counts counts;
    struct agent_counters before; /* of agents that are gone */
    uint64_t tried_ns, counted_ns, gone_ns;
    const char *awaited; /* NULL: nobody, or he has come */
    bool awaits_once;
    bool has_other_numbers; /* than we have for the same processes: we are in a container */
};

struct delivery {
    const struct perf_sink *sink;
    uint64_t until_ns;
};

struct agent_samples *agent_samples_open(const struct agent_samples_options *options,
                                         struct fault *fault)
{
    struct agent_link *link = agent_link_open(options->socket, fault);
    struct agent_samples *samples = link ? calloc(1, sizeof(*samples)) : NULL;
    if (!samples) {
        agent_link_close(link);
        return NULL;
    }
    samples->options = *options;
    samples->link = link;
    return samples;
}

void agent_samples_close(struct agent_samples *samples)
{
    if (!samples)
        return;
    agent_link_close(samples->link);
    vec_free(&samples->targets);
    free(samples);
}

static struct agent_time_wishes wishes_of(const struct agent_samples_options *options)
{
    return (struct agent_time_wishes){.watch = (options->hz ? AGENT_WATCH_CPU : 0) |
                                               (options->off_cpu ? AGENT_WATCH_WAITS : 0) |
                                               (options->children ? AGENT_WATCH_CHILDREN : 0),
                                      .hz = options->hz,
                                      .wait_least_us = (uint32_t)(options->wait_least_ns / 1000)};
}

static int watch(struct agent_samples *samples, uint32_t pid, uint32_t *known_as,
                 struct fault *fault)
{
    struct agent_time_wishes const wishes = wishes_of(&samples->options);
    int const err = agent_link_watch_time(samples->link, (pid_t)pid, &wishes, known_as, fault);
    if (err < 0)
        return err;
    samples->counts.sees_kernel = agent_link_sees_kernel(samples->link);
    samples->has_other_numbers |= *known_as != pid;
    return 0;
}

int agent_samples_add(struct agent_samples *samples, uint32_t pid, struct fault *fault)
{
    struct agent_target_name target = {.pid = pid};
    if (!samples->link)
        return fault_set(fault, -EPIPE,
                         "the agent has ended: start a new one with sudo memoir agent");
    int err = watch(samples, pid, &target.known_as, fault);
    if (err < 0)
        return err;
    if (vec_push(&samples->targets, target))
        return 0;
    (void)agent_link_unwatch(samples->link, target.known_as);
    return fault_set(fault, -ENOMEM, "There is no memory left.");
}

static int await(struct agent_samples *samples, struct fault *fault)
{
    struct agent_time_wishes wishes = wishes_of(&samples->options);
    if (samples->awaits_once)
        wishes.watch |= AGENT_WATCH_ONCE;
    int const err = agent_link_await(samples->link, samples->awaited, &wishes, fault);
    if (err == 0)
        samples->counts.sees_kernel = agent_link_sees_kernel(samples->link);
    return err;
}

int agent_samples_await(struct agent_samples *samples, const char *name, bool is_once,
                        struct fault *fault)
{
    if (!samples->link)
        return fault_set(fault, -EPIPE,
                         "the agent has ended: start a new one with sudo memoir agent");
    samples->awaited = name;
    samples->awaits_once = is_once;
    int const err = await(samples, fault);
    if (err < 0)
        samples->awaited = NULL;
    return err;
}

void agent_samples_begun(struct agent_samples *samples, uint32_t pid, bool is_meant)
{
    struct agent_target_name const target = {.pid = pid, .known_as = pid};
    if (is_meant && vec_push(&samples->targets, target)) {
        if (samples->awaits_once)
            samples->awaited = NULL;
        return;
    }
    if (!samples->link)
        return;
    (void)agent_link_unwatch(samples->link, pid);
    if (samples->awaits_once)
        (void)await(samples, NULL);
}

void agent_samples_forget(struct agent_samples *samples, uint32_t pid, bool has_ended)
{
    uint32_t known_as = pid; /* a child that we did not ask for */
    for (size_t i = samples->targets.count; i-- > 0;) {
        if (samples->targets.items[i].pid != pid)
            continue;
        known_as = samples->targets.items[i].known_as;
        samples->targets.items[i] = samples->targets.items[--samples->targets.count];
    }
    if (!has_ended && samples->link)
        (void)agent_link_unwatch(samples->link, known_as);
}

uint32_t agent_samples_pid(const struct agent_samples *samples, uint32_t known_as)
{
    if (!samples->has_other_numbers)
        return known_as;
    vec_each (target, &samples->targets)
        if (target->known_as == known_as)
            return target->pid;
    return 0;
}

void agent_samples_tell_waits(struct agent_samples *samples)
{
    if (samples->link && samples->options.off_cpu && samples->targets.count > 0)
        (void)agent_link_tell_waits(samples->link, 0);
}

static bool deliver(void *context, const struct agent_record *record)
{
    struct delivery *delivery = context;
    if (record->time_ns > delivery->until_ns)
        return false;
    delivery->sink->record(delivery->sink->context, record);
    return true;
}

void agent_samples_drain(struct agent_samples *samples, uint64_t until_ns,
                         const struct perf_sink *sink)
{
    struct delivery delivery = {sink, until_ns};
    if (samples->link)
        (void)agent_link_drain(samples->link, AT_ONCE, deliver, &delivery);
}

bool agent_samples_wait(const struct agent_samples *samples, int wait_ms)
{
    if (samples->link)
        return agent_link_rest(samples->link, wait_ms < REST_MS ? wait_ms : REST_MS) == 0;
    (void)poll(NULL, 0, wait_ms);
    return false;
}

static void lose_agent(struct agent_samples *samples, uint64_t now)
{
    struct agent_samples_counts *counts = &samples->counts;
    agent_link_close(samples->link);
    samples->link = NULL;
    samples->before =
        (struct agent_counters){.lost = counts->lost, .waits_missed = counts->waits_lost};
    samples->gone_ns = now;
    counts->gaps++;
    counts->is_gone = true;
}

static void find_agent(struct agent_samples *samples, uint64_t now)
{
    samples->tried_ns = now;
    samples->link = agent_link_open(samples->options.socket, NULL);
    if (!samples->link)
        return;
    bool is_refused = false; /* one that has ended is none */
    vec_each (target, &samples->targets) {
        int const err = watch(samples, target->pid, &target->known_as, NULL);
        is_refused |= err < 0 && err != -ESRCH;
    }
    if (samples->awaited)
        (void)await(samples, NULL);
    if (is_refused) { /* then it is as good as gone */
        agent_link_close(samples->link);
        samples->link = NULL;
        return;
    }
    samples->counts.is_gone = false;
    samples->counts.gap_ns += now - samples->gone_ns;
}

static void count_losses(struct agent_samples *samples, uint64_t now)
{
    struct agent_counters counters = {0};
    samples->counted_ns = now;
    if ((samples->targets.count == 0 && !samples->awaited) ||
        agent_link_counters(samples->link, &counters) < 0)
        return;
    samples->counts.lost = samples->before.lost + counters.lost;
    samples->counts.waits_lost = samples->before.waits_missed + counters.waits_missed;
}

void agent_samples_mend(struct agent_samples *samples)
{
    uint64_t const now = monotonic_ns();
    if (samples->link && agent_link_wait(samples->link, 0) < 0)
        lose_agent(samples, now);
    if (!samples->link && now - samples->tried_ns >= CONNECT_NS)
        find_agent(samples, now);
    else if (samples->link && now - samples->counted_ns >= COUNTERS_NS)
        count_losses(samples, now);
}

struct agent_link *agent_samples_link(const struct agent_samples *samples)
{
    return samples->link;
}

struct agent_samples_counts agent_samples_count(const struct agent_samples *samples)
{
    struct agent_samples_counts counts = samples->counts;
    if (counts.is_gone)
        counts.gap_ns += monotonic_ns() - samples->gone_ns;
    return counts;
}
