/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/reconcile.h"

#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "model/metric.h"

struct reconcile_level {
    uint64_t bytes, count, time_ns;
    uint64_t slack_bytes; /* 0 where nobody knows */
};

/* What has totals, in the order of `first_columns`. */
enum reconcile_kind { RECONCILE_HEAP, RECONCILE_MAPS, RECONCILE_POOLS, RECONCILE_REGIONS };
#define RECONCILE_KINDS 4

/* Calls, bytes, frees and freed bytes are side by side. */
static const unsigned first_columns[RECONCILE_KINDS] = {COL_HEAP_CALLS, COL_MAP_CALLS,
                                                        COL_POOL_CALLS, COL_REGION_CALLS};

struct reconcile_sums {
    uint64_t columns[COLUMN_LIMIT];
    struct reconcile_level most[RECONCILE_KINDS]; /* At the ends of buckets. */
};

static uint64_t above_zero(uint64_t value)
{
    return (int64_t)value > 0 ? value : 0;
}

static void raise_most(struct reconcile_sums *sums, uint64_t time_ns)
{
    for (unsigned kind = 0; kind < RECONCILE_KINDS; kind++) {
        const uint64_t *columns = sums->columns + first_columns[kind];
        uint64_t const live = above_zero(columns[1] - columns[3]);
        if (live > sums->most[kind].bytes)
            sums->most[kind] = (struct reconcile_level){
                .bytes = live, .count = above_zero(columns[0] - columns[2]), .time_ns = time_ns};
    }
}

static int add_bucket(struct recording *recording, struct bucket *bucket,
                      struct reconcile_sums *sums)
{
    int const err = recording_load_bucket(recording, bucket, NULL);
    if (err < 0)
        return err == -ENOMEM ? err : 0; /* it is missing, too */
    for (size_t i = 0; i < bucket->cell_count; i++)
        if (bucket->cells[i].column < COLUMN_LIMIT)
            sums->columns[bucket->cells[i].column] += (uint64_t)bucket->cells[i].value;
    recording_unload_bucket(recording, bucket);
    raise_most(sums, bucket->end_ns);
    return 0;
}

/* Events are as many more, or fewer, as the calls are. */
static void set_totals(struct recording *recording, struct totals *totals,
                       const struct reconcile_sums *sums, enum reconcile_kind kind)
{
    INVARIANT(first_columns[kind] + 3 < COLUMN_LIMIT);
    const uint64_t *columns = sums->columns + first_columns[kind];
    uint64_t const was = totals->calls + totals->frees;
    totals->calls = above_zero(columns[0]);
    totals->bytes = above_zero(columns[1]);
    totals->frees = above_zero(columns[2]);
    totals->freed_bytes = above_zero(columns[3]);
    if (recording->quality.sample_rate == 0)
        recording->quality.events =
            above_zero(recording->quality.events + totals->calls + totals->frees - was);
}

static void set_peak_to(struct totals *totals, struct reconcile_level level)
{
    totals->peak_bytes = level.bytes;
    totals->peak_count = level.count;
    totals->peak_time_ns = level.time_ns;
    totals->peak_slack_bytes = level.slack_bytes;
}

static struct reconcile_level level_of(const struct pin *pin, unsigned first_column)
{
    struct reconcile_level level = {.time_ns = pin ? pin->time_ns : 0};
    for (size_t i = 0; pin && i < pin->cell_count; i++) {
        uint64_t const value = (uint64_t)pin->cells[i].value;
        level.bytes += pin->cells[i].column == first_column + 1 ? value : 0;
        level.count += pin->cells[i].column == first_column ? value : 0;
        level.slack_bytes += pin->cells[i].column == COL_HEAP_SLACK ? value : 0;
    }
    return level;
}

static const struct bucket *find_largest(const struct recording *recording)
{
    const struct bucket *largest = NULL;
    vec_each (bucket, &recording->buckets)
        if (bucket->gauges.heap_live_max >= 0 &&
            (!largest || bucket->gauges.heap_live_max > largest->gauges.heap_live_max))
            largest = bucket;
    return largest;
}

/* That of the largest bucket, or of its picture, which is written before its bucket; what the
 * state says of a peak that is in neither is not believed. */
static void set_heap_peak(struct recording *recording)
{
    struct totals *heap = &recording->heap;
    const struct bucket *largest = find_largest(recording);
    const struct pin *pin = recording_pin(recording, PIN_PEAK);
    struct reconcile_level const seen = level_of(pin, COL_HEAP_CALLS);
    uint64_t const most = largest ? (uint64_t)largest->gauges.heap_live_max : 0;
    if ((!largest && !pin) || heap->peak_bytes == (seen.bytes > most ? seen.bytes : most))
        return;
    if (pin && seen.bytes >= most)
        set_peak_to(heap, seen);
    else
        set_peak_to(heap, (struct reconcile_level){.bytes = most, .time_ns = largest->end_ns});
}

/* What was most at the end of a bucket, where the state tells of no more, or of a later time. */
static void set_other_peak(struct recording *recording, struct totals *totals,
                           const struct reconcile_sums *sums, enum reconcile_kind kind)
{
    size_t const count = recording->buckets.count;
    uint64_t const end_ns = count > 0 ? recording->buckets.items[count - 1].end_ns : 0;
    struct reconcile_level most = sums->most[kind];
    const struct pin *pin =
        kind == RECONCILE_POOLS ? recording_pin(recording, PIN_POOL_PEAK) : NULL;
    struct reconcile_level const seen = level_of(pin, first_columns[kind]);
    if (seen.bytes > most.bytes)
        most = seen;
    if (totals->peak_bytes < most.bytes || totals->peak_time_ns > end_ns)
        set_peak_to(totals, most);
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* The time of samples adds up to that of the kernel's account. */
static void set_timing(struct recording *recording, const struct reconcile_sums *sums)
{
    struct timing *timing = &recording->timing;
    uint64_t const was = timing->samples;
    timing->samples = above_zero(sums->columns[COL_CPU_SAMPLES]);
    timing->cpu_ns = above_zero(sums->columns[COL_CPU_NS]);
    timing->waits = above_zero(sums->columns[COL_OFFCPU_COUNT]);
    timing->wait_ns = above_zero(sums->columns[COL_OFFCPU_NS]);
    timing->in_kernel = at_most(timing->in_kernel, timing->samples);
    timing->kernel_unnamed = at_most(timing->kernel_unnamed, timing->in_kernel);
    timing->waits_without_stack = at_most(timing->waits_without_stack, timing->waits);
    if (recording_is_of_time(recording))
        recording->quality.events = above_zero(recording->quality.events + timing->samples - was);
}

/* What was live at the end is known to the byte; whose it was is not, where a part is missing. */
static void set_doubts(struct recording *recording, const struct reconcile_sums *sums)
{
    struct quality *quality = &recording->quality;
    int64_t live = -1;
    for (size_t i = recording->buckets.count; i-- > 0 && live < 0;)
        live = recording->buckets.items[i].gauges.heap_live_end;
    int64_t const listed = (int64_t)(sums->columns[COL_HEAP_BYTES] - sums->columns[COL_HEAP_FREED]);
    if (live < 0 || listed == live)
        return;
    if (listed > live)
        quality->live_doubt_bytes += (uint64_t)listed - (uint64_t)live;
    else
        quality->lost_bytes += (uint64_t)live - (uint64_t)listed;
}

int recording_reconcile(struct recording *recording)
{
    struct reconcile_sums sums;
    int err = 0;
    memset(&sums, 0, sizeof(sums));
    vec_each (bucket, &recording->buckets) {
        if (err == 0)
            err = add_bucket(recording, bucket, &sums);
    }
    if (err < 0)
        return err;
    struct totals *const all[RECONCILE_KINDS] = {&recording->heap, &recording->maps,
                                                 &recording->pools, &recording->regions};
    set_heap_peak(recording);
    for (unsigned kind = 0; kind < RECONCILE_KINDS; kind++)
        set_totals(recording, all[kind], &sums, (enum reconcile_kind)kind);
    for (unsigned kind = RECONCILE_MAPS; kind < RECONCILE_KINDS; kind++)
        set_other_peak(recording, all[kind], &sums, (enum reconcile_kind)kind);
    if (recording->heap.peak_bytes < sums.most[RECONCILE_HEAP].bytes)
        set_peak_to(&recording->heap, sums.most[RECONCILE_HEAP]);
    recording->heap.temporary = above_zero(sums.columns[COL_HEAP_TEMPORARY]);
    recording->heap.slack_bytes = above_zero(sums.columns[COL_HEAP_SLACK]);
    set_timing(recording, &sums);
    set_doubts(recording, &sums);
    return 0;
}

void recording_end_with_buckets(struct recording *recording)
{
    uint64_t const end_ns = recording->duration_ns;
    vec_each (thread, &recording->threads) {
        thread->first_ns = thread->first_ns < end_ns ? thread->first_ns : end_ns;
        thread->last_ns = thread->last_ns < end_ns ? thread->last_ns : end_ns;
    }
    struct mark_list *marks = &recording->marks;
    while (marks->count > 0 && marks->items[marks->count - 1].time_ns > end_ns)
        marks->count--;
}
