/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/time_profile.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "capture/sessions/cpu_cells.h"
#include "formats/shared/registry.h"
#include "on_request/first_waits.h"
#include "on_request/recording_of.h"
#include "procfs/process/process_facts.h"
#include "wire/agent.h"

#define STEP_NS     UINT64_C(250000000)
#define TAKE_NS     NS_PER_SECOND
#define ROWS_MERGED 65536 /* so many are summed up before there are more */

/* What measuring takes. */
struct timer {
    struct time_profile *profile;
    struct recording *recording;
    uint32_t pid;
    struct cpu_station *station;
    struct cpu_cells cells;
    struct first_waits *first; /* NULL: waits are not looked at */
    uint64_t taken_ns;
};

static void bucket_free(struct bucket *bucket)
{
    free(bucket->cells);
    free(bucket->thread_cells);
    free(bucket->moments);
}

/* Moments become rows: a wait that goes on counts as one, too. */
static int add_rows(struct timer *timer, const struct bucket *bucket)
{
    struct pprof_samples *samples = &timer->profile->samples;
    for (size_t i = 0; i < bucket->moment_count; i++) {
        const struct moment *moment = &bucket->moments[i];
        stack_id stack = moment->stack;
        if (moment->column == COL_OFFCPU_NS && timer->first)
            stack = first_waits_stack(timer->first, timer->recording, moment);
        struct pprof_row const row = {
            stack, moment->thread, {moment->count ? moment->count : 1, moment->value}};
        if (!vec_push(&samples->samples, row))
            return -ENOMEM;
    }
    if (samples->samples.count > ROWS_MERGED)
        pprof_samples_merge(samples);
    return 0;
}

static int collect(struct timer *timer)
{
    struct bucket bucket = {.begin_ns = timer->taken_ns};
    uint64_t const began_ns = timer->taken_ns;
    timer->taken_ns = monotonic_ns();
    int err = timer->cells.source.collect(timer->cells.source.self, timer->pid, timer->recording,
                                          &bucket, began_ns);
    if (err == 0)
        err = add_rows(timer, &bucket);
    bucket_free(&bucket);
    return err;
}

static int measure(struct timer *timer, uint32_t seconds)
{
    struct pprof_samples *samples = &timer->profile->samples;
    uint64_t const began = monotonic_ns();
    uint64_t const until = began + seconds * NS_PER_SECOND;
    int err = 0;
    timer->taken_ns = began;
    for (uint64_t now = began; now < until && !err && process_runs(timer->pid);) {
        uint64_t const nap = until - now < STEP_NS ? until - now : STEP_NS;
        nanosleep(&(struct timespec){0, (long)nap}, NULL);
        now = monotonic_ns();
        if (now < until && now - timer->taken_ns >= TAKE_NS)
            err = collect(timer);
    }
    if (!err)
        err = collect(timer);
    samples->duration_ns = monotonic_ns() - began;
    return err;
}

static int watch(struct timer *timer, uint32_t seconds, bool waits, struct fault *fault)
{
    struct cpu_station_options const options = {
        .socket = AGENT_SOCKET_PATH, .hz = CPU_HZ_DEFAULT, .off_cpu = waits};
    timer->station = cpu_station_open(&options, fault);
    if (!timer->station)
        return -EPERM;
    cpu_cells_init(&timer->cells, timer->station);
    int err = cpu_station_watch(timer->station, timer->pid, false, fault);
    if (err == 0) {
        err = measure(timer, seconds);
        if (err)
            (void)fault_set(fault, err, "out of memory");
        timer->cells.source.conclude(&timer->cells, timer->pid, timer->recording);
    }
    cpu_cells_fini(&timer->cells);
    cpu_station_close(timer->station);
    return err;
}

int time_profile_collect(struct time_profile *profile, uint32_t pid, uint32_t seconds, bool waits,
                         struct fault *fault)
{
    struct timer timer = {.profile = profile, .pid = pid, .recording = recording_of_process(pid)};
    if (!timer.recording)
        return fault_set(fault, -ENOMEM, "out of memory");
    *profile = (struct time_profile){
        .samples = {.recording = timer.recording,
                    .columns = {{"samples", "count"}, {waits ? "time" : "cpu", "nanoseconds"}},
                    .column_count = 2,
                    .period_type = {waits ? "time" : "cpu", "nanoseconds"},
                    .period = NS_PER_SECOND / CPU_HZ_DEFAULT}};
    if (waits)
        timer.first = first_waits_look(pid, timer.recording);
    int const err = watch(&timer, seconds, waits, fault);
    first_waits_free(timer.first);
    if (err == 0)
        recording_name_all(timer.recording);
    else
        time_profile_fini(profile);
    return err;
}

void time_profile_fini(struct time_profile *profile)
{
    vec_free(&profile->samples.samples);
    if (profile->samples.recording)
        recording_destroy(profile->samples.recording);
    *profile = (struct time_profile){0};
}

/* The rows as the only bucket of the recording, in one column. */
static int put_bucket(struct time_profile *profile)
{
    struct pprof_samples *samples = &profile->samples;
    struct recording *recording = samples->recording;
    struct bucket bucket = {.end_ns = samples->duration_ns};
    bucket.cells = calloc(samples->samples.count + 1, sizeof(*bucket.cells));
    if (!bucket.cells)
        return -ENOMEM;
    vec_each (row, &samples->samples)
        bucket.cells[bucket.cell_count++] = (struct cell){row->stack, COL_CPU_NS, row->values[1]};
    recording->duration_ns = samples->duration_ns;
    if (vec_push(&recording->buckets, bucket))
        return 0;
    free(bucket.cells);
    return -ENOMEM;
}

int time_profile_write_folded(struct time_profile *profile, FILE *file, struct fault *fault)
{
    struct export_job job = {.recording = profile->samples.recording,
                             .metric = metric_find("cpu.on"),
                             .range = TIME_ALL,
                             .hides_addresses = profile->samples.hides_addresses};
    struct output *out = output_create(file, COMPRESS_NONE);
    if (!out)
        return fault_set(fault, -ENOMEM, "out of memory");
    int err = put_bucket(profile);
    if (err)
        (void)fault_set(fault, err, "out of memory");
    else
        err = export_format_find("folded")->write(&job, out, fault);
    int const end = output_finish(out, err ? NULL : fault);
    return err ? err : end;
}
