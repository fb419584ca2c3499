/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heaptrack_events.h"

#include <errno.h>

#include "formats/heaptrack/block_match.h"
#include "formats/heaptrack/heaptrack_format.h"

int heaptrack_events_begin(struct heaptrack_events *events, struct output *out)
{
    struct heaptrack_events const begun = {.out = out,
                                           .traces = events->traces,
                                           .peak = events->peak,
                                           .scale = events->scale,
                                           .infos = events->infos};
    *events = begun;
    return out ? heaptrack_infos_write(&events->infos, out) : 0;
}

void heaptrack_events_fini(struct heaptrack_events *events)
{
    heaptrack_infos_fini(&events->infos);
}

static void write_event(struct heaptrack_events *events, char kind, uint32_t number)
{
    const char head[2] = {kind, ' '};
    output_bytes(events->out, head, sizeof(head));
    output_hex(events->out, number);
    output_char(events->out, '\n');
}

static uint32_t find_info(struct heaptrack_events *events, uint64_t size, uint32_t trace,
                          uint32_t twin)
{
    uint32_t info = heaptrack_info(&events->infos, size, trace, twin);
    events->failed |= info == 0;
    return info;
}

/* The sum, or the nearest number there is: damaged recordings have sizes that no program has. */
static int64_t plus(int64_t level, int64_t more)
{
    int64_t sum;
    if (__builtin_add_overflow(level, more, &sum))
        return more < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t as_level(uint64_t size)
{
    return size <= INT64_MAX ? (int64_t)size : INT64_MAX;
}

static void allocate(struct heaptrack_events *events, uint32_t info, uint64_t size)
{
    if (events->out)
        write_event(events, HEAPTRACK_ALLOCATION,
                    heaptrack_info_number(&events->infos, info, false));
    else
        heaptrack_info_allocated(&events->infos, info);
    events->last = info;
    events->allocations++;
    events->level = plus(events->level, as_level(size));
    if (events->level > events->highest)
        events->highest = events->level;
}

static void release_at_once(struct heaptrack_events *events, uint32_t info, uint64_t size)
{
    if (events->out)
        write_event(events, HEAPTRACK_FREE,
                    heaptrack_info_number(&events->infos, info, events->last != info));
    events->temporary += events->last == info;
    events->last = 0;
    events->level = plus(events->level, -as_level(size));
}

/* A free that must not look temporary although the same kind of block was allocated just now: the
 * twin stands in for it, which has the same size and trace. */
static void release(struct heaptrack_events *events, uint32_t info, uint64_t size, uint32_t trace)
{
    if (events->last == info) {
        uint32_t other = find_info(events, size, trace, 1);
        info = other != info ? other : find_info(events, size, trace, 0);
        events->twin_frees++;
    }
    release_at_once(events, info, size);
}

static void release_held(struct heaptrack_events *events)
{
    struct held_block held = events->held;
    if (held.info == 0)
        return;
    events->held.info = 0;
    release(events, held.info, held.size, held.trace);
}

/* The blocks of a run by size: `count` blocks of together `bytes` have at most two sizes, next to
 * each other. */
struct batch {
    uint64_t size, count;
};

static void split_sizes(uint64_t count, uint64_t bytes, struct batch batches[2])
{
    uint64_t larger = bytes % count;
    batches[0] = (struct batch){bytes / count, count - larger};
    batches[1] = (struct batch){bytes / count + 1, larger};
}

static uint64_t scaled(const struct heaptrack_events *events, uint64_t count)
{
    return count / events->scale + (count % events->scale != 0);
}

void heaptrack_deaths(struct heaptrack_events *events, const struct block_run *run)
{
    uint32_t trace = events->traces[run->stack];
    struct batch batches[2];
    split_sizes(scaled(events, run->count), run->freed, batches);
    for (int b = 0; b < 2 && !events->failed; b++) {
        uint32_t info = batches[b].count ? find_info(events, batches[b].size, trace, 0) : 0;
        for (uint64_t i = 0; i < batches[b].count; i++)
            release(events, info, batches[b].size, trace);
    }
}

/* What may be live besides what is known to be: before the peak, a level as high would be the peak
 * for whoever reads the file. */
static int64_t highest_level(const struct heaptrack_events *events)
{
    bool const strictly_under = !events->past_peak && events->peak != PEAK_UNKNOWN;
    return plus(events->peak, -(int64_t)strictly_under);
}

void heaptrack_births(struct heaptrack_events *events, const struct block_run *run)
{
    uint32_t trace = events->traces[run->stack];
    struct batch batches[2];
    split_sizes(scaled(events, run->count), run->bytes, batches);
    for (int b = 0; b < 2 && !events->failed; b++) {
        uint32_t info = batches[b].count ? find_info(events, batches[b].size, trace, 0) : 0;
        for (uint64_t i = 0; i < batches[b].count; i++) {
            if (events->held.info &&
                plus(events->level, as_level(batches[b].size)) > highest_level(events))
                release_held(events);
            allocate(events, info, batches[b].size);
            release_held(events);
        }
    }
}

/* The size of a batch, or the largest of which `blocks` can be live at once without making a new
 * peak. */
static uint64_t fitting_size(struct heaptrack_events *events, struct batch batch, uint64_t blocks)
{
    int64_t const below = highest_level(events);
    uint64_t fits =
        below > events->level ? ((uint64_t)below - (uint64_t)events->level) / blocks : 0;
    if (batch.size <= fits)
        return batch.size;
    events->shrunk += batch.count;
    return fits;
}

static void temporary_pairs(struct heaptrack_events *events, struct batch batch, uint32_t trace)
{
    uint64_t size = fitting_size(events, batch, 1);
    uint32_t info = find_info(events, size, trace, 0);
    for (uint64_t i = 0; i < batch.count && info; i++) {
        allocate(events, info, size);
        release_at_once(events, info, size);
    }
    release_held(events);
}

/* Two at a time, crosswise, so that no free follows its own allocation. */
static void crossed_pairs(struct heaptrack_events *events, struct batch batch, uint32_t trace)
{
    uint64_t size = fitting_size(events, batch, 2);
    uint32_t info = find_info(events, size, trace, 0), twin = find_info(events, size, trace, 1);
    for (uint64_t i = 0; i < batch.count / 2 && !events->failed; i++) {
        allocate(events, info, size);
        allocate(events, twin, size);
        release_at_once(events, info, size);
        release_at_once(events, twin, size);
    }
}

/* A block alone waits for the next allocation, whosever it is. */
static void lone_pair(struct heaptrack_events *events, uint64_t wanted, uint32_t trace)
{
    uint64_t size = fitting_size(events, (struct batch){wanted, 1}, 1);
    uint32_t info = find_info(events, size, trace, 0);
    if (info == events->held.info)
        info = find_info(events, size, trace, 1);
    if (events->failed)
        return;
    allocate(events, info, size);
    release_held(events);
    events->held = (struct held_block){size, trace, info};
}

static void long_pairs(struct heaptrack_events *events, struct batch batch, uint32_t trace)
{
    if (batch.count >= 2)
        crossed_pairs(events, batch, trace);
    if (batch.count % 2)
        lone_pair(events, batch.size, trace);
}

/* Only the average size of these is known to readers of the file, so scaling may leave some out
 * instead of making the others larger. */
void heaptrack_pairs(struct heaptrack_events *events, const struct block_run *run)
{
    uint32_t trace = events->traces[run->stack];
    uint64_t lasting = run->count - run->temporary;
    uint64_t parts[2] = {run->temporary, lasting};
    for (int kind = 0; kind < 2; kind++) {
        if (parts[kind] == 0)
            continue;
        uint64_t count = scaled(events, parts[kind]);
        uint64_t bytes = share_of(run->bytes, count, run->count);
        if (kind == 1 && events->scale == 1) /* what the temporary ones left */
            bytes = run->bytes - share_of(run->bytes, run->temporary, run->count);
        struct batch batches[2];
        split_sizes(count, bytes, batches);
        for (int b = 0; b < 2 && !events->failed; b++) {
            if (batches[b].count && kind == 0)
                temporary_pairs(events, batches[b], trace);
            else if (batches[b].count)
                long_pairs(events, batches[b], trace);
        }
    }
}

void heaptrack_slot_end(struct heaptrack_events *events)
{
    release_held(events);
}

void heaptrack_peak(struct heaptrack_events *events, const struct block_run *block)
{
    if (block) {
        uint32_t info = find_info(events, block->bytes, events->traces[block->stack], 0);
        allocate(events, info, block->bytes);
        release_at_once(events, info, block->bytes);
    }
    events->past_peak = true;
}
