/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_series_buckets.c - buckets, pins and totals of a series of profiles. */
#include <errno.h>
#include <stdlib.h>

#include "formats/pprof/pprof_series_parts.h"

/* How much more is live, and what has happened at all. */
static void add_totals(struct pprof_series *series, const struct pprof_cell_list *list)
{
    struct totals *heap = &series->recording->heap;
    vec_each (cell, &list->cells) {
        int64_t const value = cell->value;
        switch (cell->column) {
        case COL_HEAP_CALLS:
            heap->calls += (uint64_t)value;
            series->live_count = pprof_wrap_add(series->live_count, value);
            break;
        case COL_HEAP_BYTES:
            heap->bytes += (uint64_t)value;
            series->live_bytes = pprof_wrap_add(series->live_bytes, value);
            break;
        case COL_HEAP_FREES:
            heap->frees += (uint64_t)value;
            series->live_count = pprof_wrap_add(series->live_count, (int64_t)(0 - (uint64_t)value));
            break;
        case COL_HEAP_FREED:
            heap->freed_bytes += (uint64_t)value;
            series->live_bytes = pprof_wrap_add(series->live_bytes, (int64_t)(0 - (uint64_t)value));
            break;
        case COL_CPU_SAMPLES:
            series->totals.cpu_samples = pprof_wrap_add(series->totals.cpu_samples, value);
            break;
        case COL_OFFCPU_COUNT:
            series->totals.waits = pprof_wrap_add(series->totals.waits, value);
            break;
        case COL_OFFCPU_NS:
            series->totals.wait_ns = pprof_wrap_add(series->totals.wait_ns, value);
            break;
        default:
            break;
        }
    }
}

static int put_pin(struct pprof_series *series, struct pprof_cell_list *cells, uint64_t time_ns)
{
    struct recording *recording = series->recording;
    struct pin pin = {.kind = PIN_PEAK, .time_ns = time_ns};
    pprof_cells_tidy(cells);
    pin.cells = cells->cells.items;
    pin.cell_count = cells->cells.count;
    *cells = (struct pprof_cell_list){0};
    vec_each (old, &recording->pins)
        if (old->kind == PIN_PEAK) {
            free(old->cells);
            *old = pin;
            return 0;
        }
    if (vec_push(&recording->pins, pin))
        return 0;
    free(pin.cells);
    return -ENOMEM;
}

int pprof_series_pin(struct pprof_series *series, struct pprof_cell_list *peak)
{
    struct totals *heap = &series->recording->heap;
    if (peak->cells.count == 0 || series->is_run)
        return 0;
    uint64_t bytes = 0, count = 0;
    vec_each (cell, &peak->cells)
        *(cell->column == COL_HEAP_BYTES ? &bytes : &count) += (uint64_t)cell->value;
    heap->peak_bytes = bytes;
    heap->peak_count = count;
    heap->peak_time_ns = series->end_ns;
    return put_pin(series, peak, series->end_ns);
}

/* The largest of all profiles of a run is its peak, as far as anybody knows. */
static int pin_largest(struct pprof_series *series)
{
    struct totals *heap = &series->recording->heap;
    struct pprof_cell_list cells = {0};
    bool fine = true;
    if (!series->is_run || !series->has_live || series->live_bytes <= 0 ||
        (uint64_t)series->live_bytes <= heap->peak_bytes)
        return 0;
    heap->peak_bytes = (uint64_t)series->live_bytes;
    heap->peak_count = series->live_count > 0 ? (uint64_t)series->live_count : 0;
    heap->peak_time_ns = series->end_ns;
    vec_each (node, &series->nodes)
        vec_each (level, &node->levels.cells) {
            struct cell cell = *level;
            bool const is_freed = cell.column == COL_HEAP_FREES || cell.column == COL_HEAP_FREED;
            if (is_freed) {
                cell.column = cell.column == COL_HEAP_FREES ? COL_HEAP_CALLS : COL_HEAP_BYTES;
                cell.value = (int64_t)(0 - (uint64_t)cell.value);
            }
            if (cell.column == COL_HEAP_CALLS || cell.column == COL_HEAP_BYTES)
                fine = fine && vec_push(&cells.cells, cell);
        }
    if (fine)
        return put_pin(series, &cells, series->end_ns);
    vec_free(&cells.cells);
    return -ENOMEM;
}

int pprof_series_close_bucket(struct pprof_series *series)
{
    struct recording *recording = series->recording;
    size_t const count = recording->buckets.count;
    struct bucket bucket = {
        .begin_ns = count ? recording->buckets.items[count - 1].end_ns : 0,
        .end_ns = series->end_ns,
        .gauges = {.rss_bytes = -1, .heap_live_end = -1, .heap_live_max = -1, .heap_live_min = -1},
        .rss_max = -1};
    if (series->end_ns == 0)
        return 0;
    pprof_cells_tidy(&series->open);
    pprof_cells_tidy(&series->open_threads);
    add_totals(series, &series->open);
    if (series->has_heap && series->has_live && series->live_bytes >= 0)
        bucket.gauges.heap_live_end = bucket.gauges.heap_live_max = bucket.gauges.heap_live_min =
            series->live_bytes;
    series->cells += series->open.cells.count + series->open_threads.cells.count;
    if (series->cells > PPROF_SERIES_CELLS_MAX)
        return -E2BIG;
    bucket.cells = series->open.cells.items;
    bucket.cell_count = series->open.cells.count;
    bucket.thread_cells = series->open_threads.cells.items;
    bucket.thread_cell_count = series->open_threads.cells.count;
    if (!vec_push(&recording->buckets, bucket))
        return -ENOMEM;
    series->open = series->open_threads = (struct pprof_cell_list){0};
    recording->duration_ns = series->end_ns;
    return pin_largest(series);
}

static uint64_t at_least_none(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static const char *source_of(const struct pprof_series *series)
{
    if (!series->has_heap)
        return series->has_time ? SOURCE_PPROF_TIME : SOURCE_PPROF_COUNTS;
    return !series->has_live                        ? SOURCE_PPROF_ALLOCATED
           : !series->is_cumulative[COL_HEAP_BYTES] ? SOURCE_PPROF_LIVE
                                                    : SOURCE_PPROF_HEAP;
}

int pprof_series_finish(struct pprof_series *series)
{
    struct recording *recording = series->recording;
    int const err = pprof_series_close_bucket(series);
    if (err < 0)
        return err;
    recording->source = recording_intern(recording, source_of(series));
    recording->quality.complete = series->missing == 0;
    recording->quality.sample_rate = series->has_heap ? series->period : 0;
    recording->timing.hz = series->totals.cpu_samples > 0 ? series->hz : 0;
    recording->timing.samples = at_least_none(series->totals.cpu_samples);
    recording->timing.waits = at_least_none(series->totals.waits);
    recording->timing.wait_ns = at_least_none(series->totals.wait_ns);
    recording->is_of_several = series->nodes.count > 1;
    pprof_series_tell(series);
    return 0;
}
