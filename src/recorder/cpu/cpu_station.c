/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_station.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "cpu/station_parts.h"
#include "cpu/wide_account.h"

#define TABLES_MAX ((size_t)512 << 20) /* of unwind tables */
#define WAIT_MS    100
#define URGENT     (-10) /* where that is permitted */
#define MEASURE_NS 100000000u

static void drain(struct cpu_station *station, uint64_t until_ns)
{
    time_source_drain(station->source, until_ns);
    station->until_ns = until_ns;
    if (until_ns - station->measured_ns < MEASURE_NS)
        return;
    station->measured_ns = until_ns;
    vec_each (process, &station->processes)
        cpu_process_measure(*process);
    station_clear_away(station);
}

static void *work(void *context)
{
    struct cpu_station *station = context;
    /* Where all processors are busy, what is not read in time is lost; a little is read, often. */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), URGENT);
    while (!atomic_load(&station->stop)) {
        time_source_wait(station->source, WAIT_MS);
        pthread_mutex_lock(&station->lock);
        time_source_mend(station->source);
        drain(station, monotonic_ns() - PERF_SAMPLES_LATE_NS);
        pthread_mutex_unlock(&station->lock);
    }
    return NULL;
}

static void destroy(struct cpu_station *station)
{
    vec_each (process, &station->processes)
        cpu_process_destroy(*process);
    vec_free(&station->processes);
    vec_free(&station->children);
    number_map_fini(&station->index);
    cpu_lane_fini(&station->all);
    time_source_close(station->source);
    time_stacks_destroy(station->stacks);
    if (station->codes)
        code_store_destroy(station->codes);
    free(station);
}

struct cpu_station *cpu_station_open(const struct cpu_station_options *options, struct fault *fault)
{
    struct cpu_station *station = calloc(1, sizeof(*station));
    if (fault)
        fault->code = 0;
    if (!station) {
        fault_set(fault, -ENOMEM, "There is no memory left.");
        return NULL;
    }
    station->options = *options;
    station->codes = code_store_create(TABLES_MAX);
    station->stacks = time_stacks_create(options->no_kernel);
    if (station->codes)
        code_store_keep_unused(station->codes); /* processes come and go, and run the same files */
    station->source = time_source_open(
        &station->options,
        &(struct perf_sink){station, station_record, station_mapping, station_used}, fault);
    station->busy_began_ns = wide_account_ns(options->cgroup);
    pthread_mutex_init(&station->lock, NULL);
    if (station->source && station->codes && station->stacks &&
        pthread_create(&station->thread, NULL, work, station) == 0)
        return station;
    if (fault && !fault->code)
        fault_set(fault, -ENOMEM, "There is no memory left.");
    destroy(station);
    return NULL;
}

void cpu_station_close(struct cpu_station *station)
{
    if (!station)
        return;
    atomic_store(&station->stop, true);
    pthread_join(station->thread, NULL);
    destroy(station);
}

int cpu_station_watch(struct cpu_station *station, uint32_t pid, bool is_new, struct fault *fault)
{
    pthread_mutex_lock(&station->lock);
    struct cpu_process *process = station_find(station, pid);
    bool const is_known = process && !process->has_ended;
    int err = is_known ? 0 : time_source_add(station->source, pid, fault);
    if (err == 0 && !is_known) {
        process = station_begin(station, pid, 0);
        err = process ? 0 : fault_set(fault, -ENOMEM, "There is no memory left.");
    }
    if (err == 0) {
        process->is_wanted = !station->options.together;
        process->waits_for_exec |= is_new;
    }
    pthread_mutex_unlock(&station->lock);
    return err;
}

int cpu_station_await(struct cpu_station *station, const char *name, bool is_once,
                      struct fault *fault)
{
    pthread_mutex_lock(&station->lock);
    int const err = time_source_await(station->source, name, is_once, fault);
    if (err == 0)
        station->awaited = name;
    pthread_mutex_unlock(&station->lock);
    return err;
}

void cpu_station_leave(struct cpu_station *station, uint32_t pid)
{
    pthread_mutex_lock(&station->lock);
    struct cpu_process *process = station_find(station, pid);
    struct cpu_lane *lane = process ? process->lane : pid == 0 ? &station->all : NULL;
    if (lane) {
        cpu_lane_forget(lane);
        station_begin_lane(station, lane);
    }
    if (process) {
        process->cpu_began_ns += process->cpu_ns;
        process->cpu_ns = process->told_cpu_ns = process->settled_ns = 0;
        process->is_wanted = false; /* until somebody asks again */
    }
    pthread_mutex_unlock(&station->lock);
}

static uint64_t used_by_all(const struct cpu_station *station)
{
    uint64_t used = station->ended_cpu_ns;
    if (station->options.whole_machine || station->options.cgroup)
        return wide_account_ns(station->options.cgroup) - station->busy_began_ns;
    vec_each (process, &station->processes)
        used += (*process)->cpu_ns;
    return used;
}

static void fill_state(struct cpu_station *station, struct cpu_process *process,
                       struct cpu_state *state)
{
    const struct cpu_lane *lane = process ? process->lane : &station->all;
    struct perf_samples_counts const counts = time_source_count(station->source);
    *state = (struct cpu_state){.timing = lane->timing,
                                .sees_kernel = counts.sees_kernel,
                                .uses_agent = time_source_is_agent(station->source)};
    memcpy(state->stack_ends, lane->stack_ends, sizeof(state->stack_ends));
    memcpy(state->wait_ends, lane->wait_ends, sizeof(state->wait_ends));
    state->timing.hz = station->options.hz;
    state->timing.lost += counts.lost - lane->lost_before;
    state->timing.waits_lost += counts.waits_lost - lane->waits_lost_before;
    state->timing.throttled = counts.throttled - lane->throttled_before;
    if (process && process->owns_lane) {
        cpu_process_check_end(process);
        cpu_process_measure(process);
        state->timing.cpu_ns = process->cpu_ns;
        state->has_ended = process->has_ended;
        state->has_execed = process->has_execed;
    } else {
        state->timing.cpu_ns = used_by_all(station);
        state->has_ended = station->processes.count == 0;
    }
    station_doubts(station, &counts, state);
}

/* What is asked for by number; *is_all: not one, but all. */
static struct cpu_process *find_asked(const struct cpu_station *station, uint32_t pid, bool *is_all)
{
    *is_all = pid == 0 && station->options.together;
    return *is_all ? NULL : station_find(station, pid);
}

int cpu_station_collect(struct cpu_station *station, uint32_t pid, struct recording *recording,
                        struct bucket *bucket, uint64_t bucket_begin_ns, struct cpu_state *state)
{
    struct cpu_target const target = {recording, bucket, bucket_begin_ns};
    bool is_all;
    pthread_mutex_lock(&station->lock);
    time_source_ask_waits(station->source);
    pthread_mutex_unlock(&station->lock);
    uint64_t const until_ns = monotonic_ns();
    usleep(PERF_SAMPLES_LATE_NS / 1000); /* by then all of it is written */
    pthread_mutex_lock(&station->lock);
    drain(station, until_ns);
    time_source_tell_waits(station->source, until_ns);
    struct cpu_process *process = find_asked(station, pid, &is_all);
    int err = process || is_all ? 0 : -ESRCH;
    station_settle(station, process);
    if (process && process->owns_lane)
        process->is_wanted = true;
    if (err == 0)
        err = cpu_lane_collect(process ? process->lane : &station->all,
                               time_stacks_recording(station->stacks), &target);
    if (err == 0)
        fill_state(station, process, state);
    pthread_mutex_unlock(&station->lock);
    return err;
}

bool cpu_station_state(struct cpu_station *station, uint32_t pid, struct cpu_state *state)
{
    bool is_all;
    pthread_mutex_lock(&station->lock);
    struct cpu_process *process = find_asked(station, pid, &is_all);
    if (process || is_all)
        fill_state(station, process, state);
    if (process)
        process->has_execed = false;
    pthread_mutex_unlock(&station->lock);
    return process || is_all;
}

uint32_t cpu_station_next_child(struct cpu_station *station)
{
    uint32_t pid = 0;
    pthread_mutex_lock(&station->lock);
    while (pid == 0 && station->children.count > 0) {
        pid = station->children.items[--station->children.count];
        if (!station_find(station, pid))
            pid = 0;
    }
    pthread_mutex_unlock(&station->lock);
    return pid;
}
