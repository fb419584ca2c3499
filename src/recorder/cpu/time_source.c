/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/time_source.h"

#include <errno.h>
#include <stdlib.h>

#define WAIT_LEAST_NS 1000u

struct time_source {
    const struct cpu_station_options *options;
    struct perf_sink sink;
    _Atomic(struct agent_samples *) agent; /* NULL: */
    _Atomic(struct perf_samples *) perf;   /* ... this one */
    /* an agent that is not used after all; somebody may still wait for it */
    struct agent_samples *refused;
    bool has_targets;
};

static uint64_t wait_least_ns(const struct cpu_station_options *options)
{
    return options->wait_least_ns ? options->wait_least_ns : WAIT_LEAST_NS;
}

static uint32_t rate(const struct cpu_station_options *options)
{
    return options->hz < CPU_HZ_MAX ? options->hz : CPU_HZ_MAX;
}

static struct perf_samples *open_perf(const struct time_source *source, struct fault *fault)
{
    const struct cpu_station_options *options = source->options;
    struct perf_samples_options const wanted = {.clock = {.hz = rate(options),
                                                          .off_cpu = options->off_cpu,
                                                          .children = options->children,
                                                          .whole_machine = options->whole_machine,
                                                          .cgroup = options->cgroup,
                                                          .no_kernel = options->no_kernel,
                                                          .leaves_room = options->leaves_room},
                                                .wait_least_ns = wait_least_ns(options),
                                                .sink = source->sink};
    return perf_samples_open(&wanted, fault);
}

static struct agent_samples *open_agent(const struct cpu_station_options *options,
                                        struct fault *fault)
{
    struct agent_samples_options const wanted = {.socket = options->socket,
                                                 .hz = rate(options),
                                                 .off_cpu = options->off_cpu,
                                                 .children = options->children,
                                                 .wait_least_ns = wait_least_ns(options)};
    if (options->whole_machine || options->cgroup) {
        fault_set(fault, -ENOTSUP,
                  "The agent reports single processes, not the whole machine: leave out --source.");
        return NULL;
    }
    return agent_samples_open(&wanted, fault);
}

struct time_source *time_source_open(const struct cpu_station_options *options,
                                     const struct perf_sink *sink, struct fault *fault)
{
    struct time_source *source = calloc(1, sizeof(*source));
    if (!source) {
        fault_set(fault, -ENOMEM, "There is no memory left.");
        return NULL;
    }
    source->options = options;
    source->sink = *sink;
    if (options->source != CPU_SOURCE_PERF && options->socket)
        source->agent = open_agent(options, options->source == CPU_SOURCE_AGENT ? fault : NULL);
    if (!source->agent && options->source != CPU_SOURCE_AGENT)
        source->perf = open_perf(source, fault);
    if (source->agent || source->perf)
        return source;
    free(source);
    return NULL;
}

void time_source_close(struct time_source *source)
{
    if (!source)
        return;
    agent_samples_close(source->agent);
    agent_samples_close(source->refused);
    perf_samples_close(source->perf);
    free(source);
}

int time_source_add(struct time_source *source, uint32_t pid, struct fault *fault)
{
    int err = source->agent ? agent_samples_add(source->agent, pid, fault)
                            : perf_samples_add(source->perf, pid, fault);
    if (err < 0 && source->agent && !source->has_targets &&
        source->options->source == CPU_SOURCE_ANY) {
        struct perf_samples *perf = open_perf(source, NULL);
        if (perf && perf_samples_add(perf, pid, NULL) == 0) {
            source->refused = source->agent;
            source->perf = perf;
            source->agent = NULL;
            err = 0;
        } else {
            perf_samples_close(perf); /* what the agent said says more */
        }
    }
    source->has_targets |= err == 0;
    return err;
}

int time_source_await(struct time_source *source, const char *name, bool is_once,
                      struct fault *fault)
{
    if (!source->agent)
        return fault_set(fault, -ENOTSUP, "perf events do not report programs that start");
    int const err = agent_samples_await(source->agent, name, is_once, fault);
    source->has_targets |= err == 0;
    return err;
}

void time_source_begun(struct time_source *source, uint32_t pid, bool is_meant)
{
    if (source->agent)
        agent_samples_begun(source->agent, pid, is_meant);
}

void time_source_drop(struct time_source *source, uint32_t pid)
{
    if (source->perf)
        perf_samples_drop(source->perf, pid);
}

void time_source_forget(struct time_source *source, uint32_t pid, bool has_ended)
{
    if (source->agent)
        agent_samples_forget(source->agent, pid, has_ended);
    else
        perf_samples_forget(source->perf, pid);
}

uint32_t time_source_pid(const struct time_source *source, const struct agent_record *record)
{
    return source->agent ? agent_samples_pid(source->agent, record->pid) : record->pid;
}

void time_source_drain(struct time_source *source, uint64_t until_ns)
{
    if (source->agent)
        agent_samples_drain(source->agent, until_ns, &source->sink);
    else
        (void)perf_samples_drain(source->perf, until_ns);
}

void time_source_ask_waits(struct time_source *source)
{
    if (source->agent)
        agent_samples_tell_waits(source->agent);
}

void time_source_tell_waits(struct time_source *source, uint64_t until_ns)
{
    if (source->perf)
        perf_samples_tell_waits(source->perf, until_ns);
}

void time_source_want_more(struct time_source *source)
{
    if (source->perf)
        perf_samples_want_more(source->perf);
}

void time_source_wait(const struct time_source *source, int wait_ms)
{
    struct agent_samples *agent = source->agent; /* without the lock: it may change meanwhile */
    if (agent)
        (void)agent_samples_wait(agent, wait_ms);
    else
        perf_samples_wait(source->perf, wait_ms);
}

void time_source_mend(struct time_source *source)
{
    if (source->agent)
        agent_samples_mend(source->agent);
}

bool time_source_is_agent(const struct time_source *source)
{
    return source->agent != NULL;
}

struct agent_link *time_source_link(const struct time_source *source)
{
    return source->agent ? agent_samples_link(source->agent) : NULL;
}

struct perf_samples_counts time_source_count(const struct time_source *source)
{
    if (source->perf)
        return perf_samples_count(source->perf);
    struct agent_samples_counts const counts = agent_samples_count(source->agent);
    return (struct perf_samples_counts){.lost = counts.lost,
                                        .waits_lost = counts.waits_lost,
                                        .sees_kernel = counts.sees_kernel,
                                        .sees_stops = true};
}

uint64_t time_source_gaps(const struct time_source *source, uint64_t *gap_ns)
{
    struct agent_samples_counts counts = {0};
    if (source->agent)
        counts = agent_samples_count(source->agent);
    *gap_ns = counts.gap_ns;
    return counts.gaps;
}
