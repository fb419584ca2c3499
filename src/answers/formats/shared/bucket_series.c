/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/bucket_series.h"

#include <errno.h>
#include <stdlib.h>

#include "model/cells.h"
#include "store/write/coarsen.h"

#define LAST_BUCKET_NS UINT64_C(1000000) /* a file without times has one bucket of this length */

void bucket_series_begin(struct bucket_series *series)
{
    if (series->cells_max == 0)
        series->cells_max = SERIES_CELLS_MAX;
    series->rss_last = series->rss_max = -1;
}

/* `count` buckets, of which the first becomes all of them. */
static int merge_group(struct bucket *group, size_t count)
{
    struct cell_sum sum = {0};
    int err = 0;
    for (size_t i = 0; i < count && err == 0; i++)
        err = cell_sum_add(&sum, group[i].cells, group[i].cell_count);
    if (err == 0)
        err = cell_sum_finish(&sum);
    if (err < 0) {
        cell_sum_fini(&sum);
        return err;
    }
    free(group[0].cells);
    for (size_t i = 1; i < count; i++) {
        coarsen_absorb(&group[0], &group[i]);
        free(group[i].cells);
        group[i].cells = NULL;
    }
    struct cell *fitting = realloc(sum.list.items, (sum.list.count + 1) * sizeof(struct cell));
    group[0].cells = fitting ? fitting : sum.list.items;
    group[0].cell_count = sum.list.count;
    vec_free(&sum.scratch);
    return 0;
}

/* One step of the ladder.  When memory runs out, the rest stays as it was. */
static int coarsen_once(struct bucket_series *series, unsigned step)
{
    struct recording *recording = series->recording;
    size_t const count = recording->buckets.count;
    struct bucket *buckets = recording->buckets.items;
    struct coarsen_plan plan = {
        .buckets = buckets, .count = count, .recording = recording, .step = step, .enabled = true};
    size_t kept = 0, cells = 0;
    int err = 0;
    for (size_t first = 0, end; first < count; first = end) {
        end = err == 0 ? coarsen_group_end(&plan, first) : first + 1;
        if (end - first > 1)
            err = merge_group(&buckets[first], end - first);
        if (err < 0)
            end = first + 1;
        cells += buckets[first].cell_count;
        buckets[kept++] = buckets[first];
    }
    recording->quality.coarsened |= kept < count;
    recording->buckets.count = kept;
    series->cells = cells;
    return err;
}

static int keep_small(struct bucket_series *series)
{
    int err = 0;
    if (series->cells <= series->cells_max && series->recording->buckets.count < SERIES_BUCKETS_MAX)
        return 0;
    for (unsigned step = 0; step < COARSEN_STEPS && err == 0; step++) {
        if (series->cells <= series->cells_max / 2 &&
            series->recording->buckets.count <= SERIES_BUCKETS_MAX / 2)
            break;
        err = coarsen_once(series, step);
    }
    return err;
}

static int close_bucket(struct bucket_series *series, uint64_t end_ns, bool with_sizes)
{
    struct recording *recording = series->recording;
    struct bucket bucket = {.begin_ns = series->begin_ns, .end_ns = end_ns};
    if (!vec_reserve(&recording->buckets, 1) ||
        heap_ledger_close(series->ledger, with_sizes, &bucket) < 0)
        return -ENOMEM;
    bucket.gauges.rss_bytes = series->rss_last;
    bucket.rss_max = series->rss_max;
    recording->buckets.items[recording->buckets.count++] = bucket;
    series->cells += bucket.cell_count;
    series->begin_ns = end_ns;
    series->rss_last = series->rss_max = -1;
    return keep_small(series);
}

int bucket_series_stamp(struct bucket_series *series, uint64_t now_ns)
{
    series->now_ns = now_ns;
    if (now_ns - series->begin_ns < ladder_bucket_ns(now_ns))
        return 0;
    bool with_sizes = now_ns - series->histogram_ns >= LADDER_HISTOGRAM_NS;
    if (with_sizes)
        series->histogram_ns = now_ns;
    return close_bucket(series, now_ns, with_sizes);
}

void bucket_series_rss(struct bucket_series *series, int64_t bytes)
{
    series->rss_last = bytes;
    if (bytes > series->rss_max)
        series->rss_max = bytes;
}

/* What came after the last stamp belongs to the bucket that ended there. */
static int join_last_two(struct bucket_series *series)
{
    struct recording *recording = series->recording;
    size_t const count = recording->buckets.count;
    struct bucket *last = &recording->buckets.items[count - 1];
    if (count < 2 || last->begin_ns < last->end_ns)
        return 0;
    int err = merge_group(last - 1, 2);
    if (err == 0)
        recording->buckets.count--;
    return err;
}

static int pin_peak(struct bucket_series *series)
{
    struct pin peak;
    if (series->ledger->peak_bytes == 0)
        return 0;
    if (heap_ledger_pin_peak(series->ledger, &peak) < 0)
        return -ENOMEM;
    if (vec_push(&series->recording->pins, peak))
        return 0;
    free(peak.cells);
    return -ENOMEM;
}

int bucket_series_finish(struct bucket_series *series)
{
    struct recording *recording = series->recording;
    uint64_t end_ns = series->now_ns;
    if (recording->buckets.count == 0 && end_ns < LAST_BUCKET_NS)
        end_ns = LAST_BUCKET_NS;
    int err = close_bucket(series, end_ns, true);
    if (err == 0)
        err = join_last_two(series);
    recording->duration_ns = end_ns;
    recording->heap = heap_ledger_totals(series->ledger);
    return err < 0 ? err : pin_peak(series);
}
