/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/metric_data.h"

#include <errno.h>
#include <string.h>

#include "model/memory/page_kind.h"

#define BY_TRACING "memoir run and memoir attach record it"
#define BY_PAGES   "record with --pages"

/* Columns that are always measured together. */
struct data_family {
    unsigned first, last;
    const char *name, *how;
};

static const struct data_family families[] = {
    {COL_HEAP_TEMPORARY, COL_HEAP_TEMPORARY, "account of temporary blocks", BY_TRACING},
    {COL_HEAP_SLACK, COL_HEAP_SLACK_FREED, "account of slack", BY_TRACING},
    {COL_HEAP_CALLS, COL_HEAP_FREED, "heap", BY_TRACING},
    {COL_MAP_CALLS, COL_MAP_FREED, "account of mappings", BY_TRACING},
    {COL_CPU_SAMPLES, COL_CPU_NS, "CPU time", "record with --cpu"},
    {COL_OFFCPU_COUNT, COL_OFFCPU_NS, "waiting time", "record with --off-cpu"},
    {COL_INSTRUCTIONS, COL_INSTRUCTIONS, "count of instructions", "files of callgrind have one"},
    {COL_COST, COL_COST, "cost", "files of callgrind and pprof may have one"},
    {COL_POOL_CALLS, COL_POOL_SLACK_FREED, "pool",
     "a program reports its own allocators through memoir.h"},
    {COL_REGION_CALLS, COL_REGION_FREED, "named memory",
     "a program names its memory through memoir.h"},
    {COL_RESIDENT_0, COL_TOUCHED_0 - 1, "snapshot of resident pages",
     "record with --map-every, for longer than that"},
    {COL_TOUCHED_0, COL_PAGES_0 - 1,
     "account of the code that touched resident pages "
     "first",
     BY_PAGES},
    {COL_PAGES_0 + 2 * PAGE_CACHE, COL_PAGES_0 + 2 * PAGE_CACHE + 1, "page cache",
     "record with --pages, through memoir agent"},
    {COL_PAGES_0 + 2 * PAGE_KERNEL, COL_PAGES_0 + 2 * PAGE_KERNEL + 1, "memory of the kernel",
     "record with memoir pages --kernel"},
    {COL_PAGES_0, COLUMN_LIMIT - 1, "account of pages", BY_PAGES},
};
#define FAMILY_COUNT (sizeof(families) / sizeof(families[0]))

/* NULL: the metric is defined by the file itself, so the file has data of it. */
static const struct data_family *family_of(const struct metric *metric)
{
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (metric->plus >= families[i].first && metric->plus <= families[i].last)
            return &families[i];
    return NULL;
}

bool metric_data_heap_is_off(const struct recording *recording)
{
    return recording->quality.off_ns > 0 &&
           recording->quality.off_ns >= recording->duration_ns - recording->duration_ns / 100 &&
           recording->heap.calls == 0;
}

static bool is_made_by(const struct recording *recording, const char *maker)
{
    return strncmp(recording_text(recording, recording->source), maker, strlen(maker)) == 0;
}

/* True when the recording itself says that it has measured this family, whatever its cells. */
static bool is_told(const struct recording *recording, const struct data_family *family)
{
    bool const has_heap = recording_traces_heap(recording) && !metric_data_heap_is_off(recording);
    switch (family->first) {
    case COL_HEAP_CALLS:
        return has_heap;
    case COL_HEAP_TEMPORARY:
        return has_heap && (is_made_by(recording, "memoir ") || is_made_by(recording, "heaptrack"));
    case COL_HEAP_SLACK:
    case COL_MAP_CALLS:
        return has_heap && is_made_by(recording, "memoir ");
    case COL_PAGES_0:
        return is_made_by(recording, "memoir pages"); /* Even if the process ended first. */
    case COL_CPU_SAMPLES:
        return recording->timing.hz > 0;
    case COL_OFFCPU_COUNT:
        return recording->timing.waits > 0;
    default:
        return false;
    }
}

static bool has_cell(const struct cell *cells, size_t count, const struct data_family *family)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].column >= family->first && cells[i].column <= family->last)
            return true;
    return false;
}

/* 1 when any bucket or pin has a cell of the family, 0 when none has, or -errno. */
static int find_cell(struct recording *recording, const struct data_family *family,
                     struct fault *fault)
{
    vec_each (pin, &recording->pins)
        if (has_cell(pin->cells, pin->cell_count, family))
            return 1;
    vec_each (bucket, &recording->buckets) {
        bool const was_loaded = bucket->cells != NULL;
        int const err = recording_load_bucket(recording, bucket, fault);
        bool const found = !err && has_cell(bucket->cells, bucket->cell_count, family);
        if (!was_loaded)
            recording_unload_bucket(recording, bucket);
        if (err || found)
            return err ? err : 1;
    }
    return 0;
}

static int explain_off(struct fault *fault)
{
    return fault_set(fault, -ENODATA,
                     "the heap was not traced in this recording (--heap off); record with --heap "
                     "full or a rate");
}

/* The peak is stored separately: files of other programs may have levels and no peak. */
static int check_peak(const struct recording *recording, const struct metric *metric,
                      struct fault *fault)
{
    bool const is_pool = metric_is_of_pools(metric);
    const struct totals *totals = is_pool ? &recording->pools : &recording->heap;
    if (metric->kind != METRIC_PINNED || totals->peak_bytes || !totals->bytes)
        return 0;
    return fault_set(fault, -ENODATA, "this file does not contain the peak; choose %s",
                     is_pool ? "pool.live" : "heap.live");
}

/* True for live and freed memory, of a profile that has neither. */
static bool is_unknown_live(const struct recording *recording, const struct metric *metric)
{
    return !recording_knows_live(recording) && metric->kind != METRIC_PINNED &&
           (metric->minus == COL_HEAP_FREED || metric->plus == COL_HEAP_FREED);
}

int metric_data_check(struct recording *recording, const struct metric *metric, struct fault *fault)
{
    if (is_unknown_live(recording, metric))
        return fault_set(fault, -ENODATA,
                         "this file has all allocations, but not which of them are live; choose "
                         "heap.allocated");
    const struct data_family *family = family_of(metric);
    bool const is_of_tracer = family && family->last <= COL_MAP_FREED;
    if (!family || is_told(recording, family))
        return check_peak(recording, metric, fault);
    if (is_of_tracer && metric_data_heap_is_off(recording))
        return explain_off(fault);
    int const found = find_cell(recording, family, fault);
    if (found < 0)
        return found;
    if (found)
        return check_peak(recording, metric, fault);
    return fault_set(fault, -ENODATA, "there is no %s in this recording; %s", family->name,
                     family->how);
}
