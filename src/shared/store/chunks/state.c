/* SPDX-License-Identifier: Apache-2.0 */
/* state.c - the one-of-a-kind numbers of a recording, of a bucket and of a pin. */
#include "store/chunks/tables.h"

#include "base/invariant.h"

#define FIELD(name) ((uint16_t)offsetof(struct recording, name))

/* Stored in this order: append only, never reorder.  A file that ends earlier leaves the rest 0. */
static const uint16_t state_fields[] = {
    FIELD(start_unix_ns),
    FIELD(duration_ns),
    FIELD(page_bytes),
    FIELD(machine_bytes),
    FIELD(heap.calls),
    FIELD(heap.bytes),
    FIELD(heap.frees),
    FIELD(heap.freed_bytes),
    FIELD(heap.temporary),
    FIELD(heap.peak_bytes),
    FIELD(heap.peak_count),
    FIELD(heap.peak_time_ns),
    FIELD(heap.slack_bytes),
    FIELD(heap.peak_slack_bytes),
    FIELD(maps.calls),
    FIELD(maps.bytes),
    FIELD(maps.frees),
    FIELD(maps.freed_bytes),
    FIELD(maps.temporary),
    FIELD(maps.peak_bytes),
    FIELD(maps.peak_count),
    FIELD(maps.peak_time_ns),
    FIELD(maps.slack_bytes),
    FIELD(maps.peak_slack_bytes),
    FIELD(quality.events),
    FIELD(quality.lost_events),
    FIELD(quality.lost_calls),
    FIELD(quality.lost_bytes),
    FIELD(quality.implied_frees),
    FIELD(quality.unknown_frees),
    FIELD(quality.collapsed_stacks),
    FIELD(quality.damaged_chunks),
    FIELD(quality.truncated_bytes),
    FIELD(cost.target_waits),
    FIELD(cost.target_wait_ns),
    FIELD(cost.recorder_cpu_ns),
    FIELD(cost.recorder_rss_bytes),
    FIELD(cost.arena_bytes),
    FIELD(cost.ns_per_event),
    FIELD(written_unix_ns),
    FIELD(anon_peak_bytes),
    FIELD(pools.calls),
    FIELD(pools.bytes),
    FIELD(pools.frees),
    FIELD(pools.freed_bytes),
    FIELD(pools.temporary),
    FIELD(pools.peak_bytes),
    FIELD(pools.peak_count),
    FIELD(pools.peak_time_ns),
    FIELD(pools.slack_bytes),
    FIELD(pools.peak_slack_bytes),
    FIELD(regions.calls),
    FIELD(regions.bytes),
    FIELD(regions.frees),
    FIELD(regions.freed_bytes),
    FIELD(regions.temporary),
    FIELD(regions.peak_bytes),
    FIELD(regions.peak_count),
    FIELD(regions.peak_time_ns),
    FIELD(regions.slack_bytes),
    FIELD(regions.peak_slack_bytes),
    FIELD(marks.left_out),
    FIELD(quality.sample_rate),
    FIELD(quality.samples_dropped),
    FIELD(quality.unfollowed_bytes),
    FIELD(before.attached),
    FIELD(before.rss_bytes),
    FIELD(before.heap_bytes),
    FIELD(before.anonymous_bytes),
    FIELD(before.borrowed_ns),
    FIELD(before.stopped_ns),
    FIELD(limit_bytes),
    FIELD(residency.looks),
    FIELD(residency.time_ns),
    FIELD(residency.walked_bytes),
    FIELD(residency.rss_before_bytes),
    FIELD(residency.rss_after_bytes),
    FIELD(residency.untouched_bytes),
    FIELD(residency.took_ns),
    FIELD(residency.reserved_bytes),
    FIELD(quality.off_ns),
    FIELD(timing.hz),
    FIELD(timing.samples),
    FIELD(timing.cpu_ns),
    FIELD(timing.lost),
    FIELD(timing.throttled),
    FIELD(timing.in_kernel),
    FIELD(timing.kernel_unnamed),
    FIELD(timing.waits),
    FIELD(timing.wait_ns),
    FIELD(timing.waits_lost),
    FIELD(timing.waits_without_stack),
    FIELD(timing.is_counted_by_cycles),
    FIELD(quality.lost_frees),
    FIELD(quality.gaps),
    FIELD(quality.longest_gap_ns),
    FIELD(quality.live_doubt_bytes),
    FIELD(quality.peak_doubt_bytes),
    FIELD(quality.thinned_calls),
    FIELD(quality.thinned_bytes),
    FIELD(quality.live_spread),
    FIELD(quality.peak_spread),
    FIELD(quality.has_spread),
    FIELD(quality.unwritten_from_ns),
    FIELD(quality.unwritten_error),
    FIELD(end),
    FIELD(quality.sources[STACK_SOURCE_HEAP].stacks),
    FIELD(quality.sources[STACK_SOURCE_HEAP].complete),
    FIELD(quality.sources[STACK_SOURCE_CPU].stacks),
    FIELD(quality.sources[STACK_SOURCE_CPU].complete),
    FIELD(quality.sources[STACK_SOURCE_WAITS].stacks),
    FIELD(quality.sources[STACK_SOURCE_WAITS].complete),
    FIELD(quality.sources[STACK_SOURCE_PAGES].stacks),
    FIELD(quality.sources[STACK_SOURCE_PAGES].complete),
    FIELD(quality.peak_order_bytes),
    FIELD(quality.left_out_frees),
    FIELD(quality.live_doubt_calls),
    FIELD(quality.peak_doubt_calls),
    FIELD(quality.live_call_spread),
    FIELD(quality.peak_call_spread),
};
#define STATE_FIELDS (sizeof(state_fields) / sizeof(state_fields[0]))

enum state_flag { STATE_COMPLETE = 1, STATE_COARSENED = 2 };

void state_put(struct byte_buffer *section, const struct recording *recording)
{
    put_varint(section, (recording->quality.complete ? STATE_COMPLETE : 0u) |
                            (recording->quality.coarsened ? STATE_COARSENED : 0u));
    put_varint(section, recording->program);
    put_varint(section, recording->command_line);
    put_varint(section, recording->host);
    put_varint(section, recording->source);
    put_varint(section, recording->pid);
    put_varint(section, recording->parent_pid);
    put_signed(section, recording->exit_status);
    put_varint(section, STACK_END_KINDS);
    for (unsigned kind = 0; kind < STACK_END_KINDS; kind++)
        put_varint(section, recording->quality.stack_ends[kind]);
    for (size_t i = 0; i < STATE_FIELDS; i++) {
        uint64_t value;
        memcpy(&value, (const char *)recording + state_fields[i], sizeof(value));
        put_varint(section, value);
    }
}

void state_set_coarsened(uint8_t *state)
{
    state[0] |= STATE_COARSENED; /* the flags come first and fit one byte */
}

void state_parse(struct byte_reader *body, struct recording *recording)
{
    uint64_t flags = parse_varint(body);
    recording->quality.complete = flags & STATE_COMPLETE;
    recording->quality.coarsened = flags & STATE_COARSENED;
    recording->program = parse_u32(body);
    recording->command_line = parse_u32(body);
    recording->host = parse_u32(body);
    recording->source = parse_u32(body);
    recording->pid = parse_u32(body);
    recording->parent_pid = parse_u32(body);
    recording->exit_status = (int32_t)parse_signed(body);
    size_t kinds = parse_count(body, 1);
    for (size_t kind = 0; kind < kinds; kind++) {
        uint64_t count = parse_varint(body);
        if (kind < STACK_END_KINDS)
            recording->quality.stack_ends[kind] = count;
    }
    for (size_t i = 0; i < STATE_FIELDS; i++) {
        uint64_t value = bytes_left(body) > 0 ? parse_varint(body) : 0;
        memcpy((char *)recording + state_fields[i], &value, sizeof(value));
    }
}

/* What came to the head of a bucket later; what is 0 at the end is left out, as older files have
 * it. */
#define HEAD_TAIL 4
static void head_tail_put(struct byte_buffer *section, const struct bucket *bucket)
{
    int64_t const tail[HEAD_TAIL] = {bucket->pss_bytes, bucket->own_bytes,
                                     bucket->rss_max > bucket->gauges.rss_bytes ? bucket->rss_max
                                                                                : 0,
                                     bucket->pss_max > bucket->pss_bytes ? bucket->pss_max : 0};
    size_t count = HEAD_TAIL;
    while (count > 0 && tail[count - 1] <= 0)
        count--;
    INVARIANT(count <= HEAD_TAIL && (count == 0 || tail[count - 1] > 0));
    for (size_t i = 0; i < count; i++)
        put_varint(section, tail[i] > 0 ? (uint64_t)tail[i] : 0);
}

static void head_tail_parse(struct byte_reader *body, struct bucket *bucket)
{
    int64_t *const tail[HEAD_TAIL] = {&bucket->pss_bytes, &bucket->own_bytes, &bucket->rss_max,
                                      &bucket->pss_max};
    for (size_t i = 0; i < HEAD_TAIL; i++) {
        uint64_t const value = bytes_left(body) > 0 ? parse_varint(body) : 0;
        *tail[i] = value <= INT64_MAX ? (int64_t)value : 0;
    }
}

void bucket_head_put(struct byte_buffer *section, const struct bucket *bucket)
{
    INVARIANT(bucket->begin_ns <= bucket->end_ns);
    put_signed(section, bucket->gauges.rss_bytes);
    put_signed(section, bucket->gauges.heap_live_end);
    put_signed(section, bucket->gauges.heap_live_max);
    put_signed(section, bucket->gauges.heap_live_min);
    put_varint(section, bucket->lost_events);
    put_varint(section, bucket->cell_count + bucket->thread_cell_count + bucket->moment_count);
    head_tail_put(section, bucket);
}

struct bucket bucket_head_parse(struct byte_reader *body, const struct chunk_header *header,
                                bool *has_cells)
{
    struct bucket bucket = {.begin_ns = header->begin_ns, .end_ns = header->end_ns};
    bucket.gauges.rss_bytes = parse_signed(body);
    bucket.gauges.heap_live_end = parse_signed(body);
    bucket.gauges.heap_live_max = parse_signed(body);
    bucket.gauges.heap_live_min = parse_signed(body);
    bucket.lost_events = parse_varint(body);
    *has_cells = parse_varint(body) > 0;
    head_tail_parse(body, &bucket);
    return bucket;
}

void pin_head_put(struct byte_buffer *section, const struct pin *pin, size_t slot)
{
    INVARIANT(pin->kind >= PIN_PEAK && pin->kind <= PIN_POOL_PEAK);
    put_varint(section, slot);
    put_varint(section, pin->kind);
    put_varint(section, pin->label);
}

struct pin pin_head_parse(struct byte_reader *body, const struct chunk_header *header,
                          uint64_t *slot)
{
    *slot = parse_varint(body);
    uint32_t kind = parse_u32(body);
    struct pin pin = {.kind = (enum pin_kind)kind, .time_ns = header->begin_ns};
    pin.label = parse_u32(body);
    if (kind < PIN_PEAK || kind > PIN_POOL_PEAK)
        body->failed = true;
    return pin;
}
