/* SPDX-License-Identifier: Apache-2.0 */
#include "store/read/reconcile.h"

#include <errno.h>
#include <string.h>

#include "base/invariant.h"
#include "model/metric.h"

struct reconcile_sums {
    uint64_t columns[COLUMN_LIMIT];
};

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
    return 0;
}

static uint64_t above_zero(uint64_t value)
{
    return (int64_t)value > 0 ? value : 0;
}

/* `first` is COL_HEAP_CALLS, or what is like it.  A total is never below what is live. */
static void set_totals(struct totals *totals, const struct reconcile_sums *sums, unsigned first)
{
    INVARIANT(first + 3 < COLUMN_LIMIT);
    const uint64_t *columns = sums->columns + first;
    totals->calls = above_zero(columns[0]);
    totals->bytes = above_zero(columns[1]);
    totals->frees = above_zero(columns[2]);
    totals->freed_bytes = above_zero(columns[3]);
    uint64_t const live = above_zero(columns[1] - columns[3]);
    if (totals->peak_bytes < live)
        totals->peak_bytes = live;
    INVARIANT(totals->peak_bytes >= live);
}

struct reconcile_level {
    uint64_t bytes, count;
};

static struct reconcile_level level_of(const struct pin *pin)
{
    struct reconcile_level level = {0};
    for (size_t i = 0; pin && i < pin->cell_count; i++) {
        uint64_t const value = (uint64_t)pin->cells[i].value;
        level.bytes += pin->cells[i].column == COL_HEAP_BYTES ? value : 0;
        level.count += pin->cells[i].column == COL_HEAP_CALLS ? value : 0;
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
static void set_peak(struct recording *recording)
{
    struct totals *heap = &recording->heap;
    const struct bucket *largest = find_largest(recording);
    const struct pin *pin = recording_pin(recording, PIN_PEAK);
    struct reconcile_level const seen = level_of(pin);
    uint64_t const most = largest ? (uint64_t)largest->gauges.heap_live_max : 0;
    if ((!largest && !pin) || heap->peak_bytes == (seen.bytes > most ? seen.bytes : most))
        return;
    heap->peak_slack_bytes = 0;
    if (pin && seen.bytes >= most) {
        heap->peak_bytes = seen.bytes;
        heap->peak_count = seen.count;
        heap->peak_time_ns = pin->time_ns;
    } else {
        INVARIANT(largest);
        heap->peak_bytes = most;
        heap->peak_count = 0; /* nobody knows */
        heap->peak_time_ns = largest->end_ns;
    }
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
    set_peak(recording);
    set_totals(&recording->heap, &sums, COL_HEAP_CALLS);
    set_totals(&recording->maps, &sums, COL_MAP_CALLS);
    set_totals(&recording->pools, &sums, COL_POOL_CALLS);
    set_totals(&recording->regions, &sums, COL_REGION_CALLS);
    recording->heap.temporary = above_zero(sums.columns[COL_HEAP_TEMPORARY]);
    recording->heap.slack_bytes = above_zero(sums.columns[COL_HEAP_SLACK]);
    set_doubts(recording, &sums);
    return 0;
}
