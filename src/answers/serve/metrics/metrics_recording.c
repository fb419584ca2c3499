/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "analyze/alerts/findings.h"
#include "serve/metrics/metrics_families.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum recorded_part { PART_HEAP, PART_MAPS, PART_POOLS, PART_QUALITY };

/* Numbers that a recording has ready.  Times are ns there and seconds here. */
static const struct recorded_row {
    enum recorded_part part;
    const char *name, *type, *unit, *help;
    size_t offset; /* of a uint64_t in struct recording */
} rows[] = {
    {PART_HEAP, "memoir_heap_allocations_total", "counter", "",
     "Successful allocations since the recording began.", offsetof(struct recording, heap.calls)},
    {PART_HEAP, "memoir_heap_allocated_bytes_total", "counter", "bytes",
     "Bytes that successful "
     "allocations asked for.",
     offsetof(struct recording, heap.bytes)},
    {PART_HEAP, "memoir_heap_frees_total", "counter", "", "Frees of heap blocks.",
     offsetof(struct recording, heap.frees)},
    {PART_HEAP, "memoir_heap_freed_bytes_total", "counter", "bytes", "Freed bytes of heap blocks.",
     offsetof(struct recording, heap.freed_bytes)},
    {PART_HEAP, "memoir_heap_temporary_total", "counter", "",
     "Blocks freed by their thread before it allocated again.",
     offsetof(struct recording, heap.temporary)},
    {PART_HEAP, "memoir_heap_peak_bytes", "gauge", "bytes", "Largest live heap so far.",
     offsetof(struct recording, heap.peak_bytes)},
    {PART_MAPS, "memoir_maps_mapped_total", "counter", "", "Mappings made by the program itself.",
     offsetof(struct recording, maps.calls)},
    {PART_MAPS, "memoir_maps_mapped_bytes_total", "counter", "bytes",
     "Bytes of addresses that the "
     "program mapped itself.",
     offsetof(struct recording, maps.bytes)},
    {PART_MAPS, "memoir_maps_unmapped_bytes_total", "counter", "bytes",
     "Bytes of addresses that the program unmapped.", offsetof(struct recording, maps.freed_bytes)},
    {PART_POOLS, "memoir_pool_allocations_total", "counter", "",
     "Blocks that the program's own pools allocated.", offsetof(struct recording, pools.calls)},
    {PART_POOLS, "memoir_pool_allocated_bytes_total", "counter", "bytes",
     "Bytes that the "
     "program's own pools "
     "allocated.",
     offsetof(struct recording, pools.bytes)},
    {PART_POOLS, "memoir_pool_freed_bytes_total", "counter", "bytes",
     "Bytes that were freed in the program's own pools.",
     offsetof(struct recording, pools.freed_bytes)},
    {PART_QUALITY, "memoir_events_total", "counter", "", "Allocations, frees and mappings seen.",
     offsetof(struct recording, quality.events)},
    {PART_QUALITY, "memoir_lost_events_total", "counter", "",
     "Events dropped because the recorder was late: they are in the totals, but in no call stack.",
     offsetof(struct recording, quality.lost_events)},
    {PART_QUALITY, "memoir_lost_bytes_total", "counter", "bytes", "Bytes of lost allocations.",
     offsetof(struct recording, quality.lost_bytes)},
    {PART_QUALITY, "memoir_unknown_frees_total", "counter", "",
     "Frees of blocks that were allocated before the recording, or lost.",
     offsetof(struct recording, quality.unknown_frees)},
    {PART_QUALITY, "memoir_implied_frees_total", "counter", "",
     "Frees that must have been lost, because a new block has the same address.",
     offsetof(struct recording, quality.implied_frees)},
    {PART_QUALITY, "memoir_samples_dropped_total", "counter", "",
     "Samples dropped because the buffer was full.",
     offsetof(struct recording, quality.samples_dropped)},
    {PART_QUALITY, "memoir_sample_rate_bytes", "gauge", "bytes",
     "Bytes of allocations per sample; 0: every allocation is recorded.",
     offsetof(struct recording, quality.sample_rate)},
    {PART_QUALITY, "memoir_target_waits_total", "counter", "",
     "Times the program waited for the recorder.", offsetof(struct recording, cost.target_waits)},
    {PART_QUALITY, "memoir_target_wait_seconds_total", "counter", "seconds",
     "How long the program waited for the recorder, in all.",
     offsetof(struct recording, cost.target_wait_ns)},
    {PART_QUALITY, "memoir_recorder_cpu_seconds_total", "counter", "seconds",
     "CPU time of the recorder.", offsetof(struct recording, cost.recorder_cpu_ns)},
    {PART_QUALITY, "memoir_recorder_resident_bytes", "gauge", "bytes",
     "Resident memory of the recorder.", offsetof(struct recording, cost.recorder_rss_bytes)},
    {PART_QUALITY, "memoir_arena_bytes", "gauge", "bytes",
     "Memory shared by the program and its recorder.",
     offsetof(struct recording, cost.arena_bytes)},
};

static const struct recorded_level {
    enum recorded_part part;
    const char *metric;
    const char *bytes, *bytes_help, *blocks, *blocks_help;
} levels[] = {
    {PART_HEAP, "heap.live", "memoir_heap_live_bytes", "Heap allocated and not yet freed.",
     "memoir_heap_live_blocks", "Live heap blocks."},
    {PART_HEAP, "heap.slack", "memoir_heap_slack_bytes",
     "Usable minus asked-for bytes of live blocks.", NULL, NULL},
    {PART_MAPS, "maps.live", "memoir_maps_live_bytes",
     "Addresses mapped by the program itself and not yet unmapped.", "memoir_maps_live",
     "Live mappings that the program made itself."},
    {PART_POOLS, "pool.live", "memoir_pool_live_bytes",
     "Blocks of the program's own pools, not yet freed.", "memoir_pool_live_blocks",
     "Live blocks of the program's own pools."},
    {PART_POOLS, "region.live", "memoir_region_live_bytes",
     "Memory to which the program gave a name.", "memoir_regions", "Named regions of the program."},
};

static void write_part(struct metrics_out *out, const struct recording *recording,
                       enum recorded_part part)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t const value =
            *(const uint64_t *)(const void *)((const char *)recording + rows[i].offset);
        if (rows[i].part != part)
            continue;
        metrics_family(out, rows[i].name, rows[i].type, rows[i].unit, rows[i].help);
        if (__builtin_strcmp(rows[i].unit, "seconds") == 0)
            metrics_real(out, NULL, 0, (double)value / 1e9);
        else
            metrics_uint(out, NULL, 0, value);
    }
}

static void write_levels(struct metrics_out *out, const struct running *running,
                         enum recorded_part part)
{
    for (size_t i = 0; i < COUNT(levels); i++) {
        struct running_rows found;
        const struct metric *metric = metric_find(levels[i].metric);
        if (levels[i].part != part || !running_has(running, metric) ||
            running_weigh(running, metric, NULL, &found) < 0)
            continue;
        metrics_family(out, levels[i].bytes, "gauge", "bytes", levels[i].bytes_help);
        metrics_int(out, NULL, 0, found.value);
        if (levels[i].blocks) {
            metrics_family(out, levels[i].blocks, "gauge", "", levels[i].blocks_help);
            metrics_int(out, NULL, 0, found.count);
        }
        running_rows_fini(&found);
    }
}

/* Of a recording that has pages: each kind once, so that the first three add up to resident
 * memory. */
static void write_pages(struct metrics_out *out, const struct running *running)
{
    static const struct {
        const char *metric, *kind;
    } kinds[] = {{"pages.anon", "anon"}, {"pages.file", "file"},   {"pages.shmem", "shmem"},
                 {"pages.swap", "swap"}, {"pages.cache", "cache"}, {"pages.kernel", "kernel"}};
    bool has_family = false;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct running_rows found;
        const struct metric *metric = metric_find(kinds[i].metric);
        if (!running_has(running, metric) || running_weigh(running, metric, NULL, &found) < 0)
            continue;
        if (!has_family)
            metrics_family(out, "memoir_pages_bytes", "gauge", "bytes",
                           "Resident pages by call stacks that touched them, by kind of page.");
        has_family = true;
        metrics_int(out, &(struct metrics_label){"kind", kinds[i].kind}, 1, found.value);
        running_rows_fini(&found);
    }
}

void metrics_write_heap(struct metrics_out *out, const struct recording *recording,
                        const struct running *running)
{
    for (enum recorded_part part = PART_HEAP; part <= PART_POOLS; part++) {
        if (part == PART_POOLS && recording->pools.calls + recording->regions.calls == 0)
            continue; /* the program tells nothing */
        write_levels(out, running, part);
        write_part(out, recording, part);
    }
    write_pages(out, running);
}

static void write_stack_ends(struct metrics_out *out, const struct recording *recording)
{
    static const char *const ends[STACK_END_KINDS] = {
        [STACK_END_COMPLETE] = "complete",     [STACK_END_NO_RULE] = "no_rule",
        [STACK_END_BAD_FRAME] = "bad_frame",   [STACK_END_TOO_DEEP] = "too_deep",
        [STACK_END_TABLE_FULL] = "table_full", [STACK_END_CUT] = "cut",
        [STACK_END_NOT_TAKEN] = "not_taken"};
    metrics_family(out, "memoir_stacks_total", "counter", "",
                   "Call stacks by how their walk ended.");
    for (size_t i = 0; i < STACK_END_KINDS; i++)
        metrics_uint(out, &(struct metrics_label){"end", ends[i]}, 1,
                     recording->quality.stack_ends[i]);
}

static void write_ratio(struct metrics_out *out, const char *name, const char *help, double value)
{
    metrics_family(out, name, "gauge", "ratio", help);
    metrics_real(out, NULL, 0, value);
}

void metrics_write_quality(struct metrics_out *out, const struct recording *recording,
                           uint64_t now_unix_ns)
{
    struct findings findings;
    uint64_t const written = recording->written_unix_ns;
    metrics_family(out, "memoir_recording_active", "gauge", "",
                   "1 while a recorder writes the recording, else 0.");
    metrics_int(out, NULL, 0, recording->being_written);
    metrics_family(out, "memoir_recording_start_time_seconds", "gauge", "seconds",
                   "When the recording began, unix time.");
    metrics_real(out, NULL, 0, (double)recording->start_unix_ns / 1e9);
    if (written) {
        metrics_family(out, "memoir_recording_age_seconds", "gauge", "seconds",
                       "Age of the newest numbers of the recording.");
        metrics_real(out, NULL, 0,
                     now_unix_ns > written ? (double)(now_unix_ns - written) / 1e9 : 0);
    }
    write_part(out, recording, PART_QUALITY);
    write_stack_ends(out, recording);
    if (findings_make(recording, &findings) < 0)
        return;
    write_ratio(out, "memoir_complete_stacks_ratio", "Share of call stacks walked to their end.",
                findings.complete_share);
    write_ratio(out, "memoir_unnamed_frames_ratio", "Share of frames without a function name.",
                findings.unnamed_share);
}
