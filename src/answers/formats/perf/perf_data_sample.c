/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_sample.h"

#include <errno.h>

/* Parses fields off the front; once something does not fit, everything after it is 0. */
struct cursor {
    const uint8_t *at, *end;
    bool failed;
};

static const uint8_t *consume(struct cursor *cursor, uint64_t size)
{
    const uint8_t *at = cursor->at;
    if (cursor->failed || size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at += size;
    return at;
}

static uint64_t parse_word(struct cursor *cursor)
{
    const uint8_t *at = consume(cursor, 8);
    return at ? perf_word(at) : 0;
}

/* `count` things of `size` bytes; NULL when they do not fit. */
static const uint8_t *consume_many(struct cursor *cursor, uint64_t count, uint64_t size)
{
    if (count > (uint64_t)(cursor->end - cursor->at) / size)
        cursor->failed = true;
    return consume(cursor, cursor->failed ? 0 : count * size);
}

static void parse_pair(struct cursor *cursor, uint32_t *first, uint32_t *second)
{
    const uint8_t *at = consume(cursor, 8);
    *first = at ? perf_half(at) : 0;
    *second = at ? perf_half(at + 4) : 0;
}

/* Counters: of the event alone its period tells as much, of a group nothing else does. */
static void parse_read(struct cursor *cursor, uint64_t format, struct perf_sample *sample)
{
    uint64_t const times = (format & PERF_FORMAT_TOTAL_TIME_ENABLED ? 1u : 0u) +
                           (format & PERF_FORMAT_TOTAL_TIME_RUNNING ? 1u : 0u);
    uint64_t const value =
        1u + (format & PERF_FORMAT_ID ? 1u : 0u) + (format & 16u /* lost */ ? 1u : 0u);
    uint64_t const count = format & PERF_FORMAT_GROUP ? parse_word(cursor) : 1;
    consume_many(cursor, times, 8);
    const uint8_t *reads = consume_many(cursor, count, 8 * value);
    if (!reads || !(format & PERF_FORMAT_GROUP) || !(format & PERF_FORMAT_ID))
        return;
    sample->reads = reads;
    sample->read_count = (size_t)count;
    sample->read_size = (size_t)(8 * value);
}

static void parse_branches(struct cursor *cursor, const struct perf_event_attr *attr,
                           struct perf_sample *sample)
{
    uint64_t const count = parse_word(cursor);
    if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
        parse_word(cursor);
    sample->branches = consume_many(cursor, count, 24);
    sample->branch_count = sample->branches ? (size_t)count : 0;
    if (attr->branch_sample_type & (UINT64_C(1) << 19)) /* counters of each */
        consume_many(cursor, count, 8);
}

static void parse_registers(struct cursor *cursor, uint64_t mask, struct perf_sample *sample)
{
    sample->abi = parse_word(cursor);
    sample->register_mask = mask;
    if (sample->abi)
        sample->registers = consume_many(cursor, (uint64_t)__builtin_popcountll(mask), 8);
}

static void parse_stack(struct cursor *cursor, struct perf_sample *sample)
{
    uint64_t const size = parse_word(cursor);
    if (size == 0)
        return;
    sample->stack = consume(cursor, size);
    uint64_t const copied = parse_word(cursor);
    sample->stack_size = sample->stack ? (size_t)(copied < size ? copied : size) : 0;
}

static void skip_raw(struct cursor *cursor)
{
    const uint8_t *size = consume(cursor, 4);
    if (size)
        consume(cursor, perf_half(size));
}

/* All that comes before call chains. */
static void parse_head(struct cursor *cursor, const struct perf_event_attr *attr,
                       struct perf_sample *sample)
{
    uint64_t const type = attr->sample_type;
    uint32_t cpu, reserved;
    if (type & PERF_SAMPLE_IDENTIFIER)
        sample->id = parse_word(cursor);
    if (type & PERF_SAMPLE_IP)
        sample->ip = parse_word(cursor);
    if (type & PERF_SAMPLE_TID)
        parse_pair(cursor, &sample->pid, &sample->tid);
    if (type & PERF_SAMPLE_TIME)
        sample->time = parse_word(cursor);
    if (type & PERF_SAMPLE_ADDR)
        parse_word(cursor);
    if (type & PERF_SAMPLE_ID)
        sample->id = parse_word(cursor);
    if (type & PERF_SAMPLE_STREAM_ID)
        parse_word(cursor);
    if (type & PERF_SAMPLE_CPU)
        parse_pair(cursor, &cpu, &reserved);
    if (type & PERF_SAMPLE_PERIOD)
        sample->period = parse_word(cursor);
    if (type & PERF_SAMPLE_READ)
        parse_read(cursor, attr->read_format, sample);
    sample->has_time = (type & PERF_SAMPLE_TIME) != 0;
    sample->has_period = (type & PERF_SAMPLE_PERIOD) != 0;
}

int perf_sample_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                      struct perf_sample *sample)
{
    struct cursor cursor = {record->body, record->body + record->size, false};
    uint64_t const type = attr->sample_type;
    *sample = (struct perf_sample){.attr = attr};
    parse_head(&cursor, attr, sample);
    if (type & PERF_SAMPLE_CALLCHAIN) {
        uint64_t const count = parse_word(&cursor);
        sample->chain = consume_many(&cursor, count, 8);
        sample->chain_count = sample->chain ? (size_t)count : 0;
    }
    if (type & PERF_SAMPLE_RAW)
        skip_raw(&cursor);
    if (type & PERF_SAMPLE_BRANCH_STACK)
        parse_branches(&cursor, attr, sample);
    if (type & PERF_SAMPLE_REGS_USER)
        parse_registers(&cursor, attr->sample_regs_user, sample);
    if (type & PERF_SAMPLE_STACK_USER)
        parse_stack(&cursor, sample);
    return cursor.failed ? -EINVAL : 0; /* what comes after is not needed */
}

size_t perf_trailer_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                          struct perf_trailer *trailer)
{
    uint64_t const fields = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                            PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    uint64_t const type = attr->sample_type & fields;
    size_t const size = 8 * (size_t)__builtin_popcountll(type);
    *trailer = (struct perf_trailer){0};
    if (!attr->sample_id_all || size > record->size)
        return 0;
    struct cursor cursor = {record->body + record->size - size, record->body + record->size, false};
    if (type & PERF_SAMPLE_TID)
        parse_pair(&cursor, &trailer->pid, &trailer->tid);
    if (type & PERF_SAMPLE_TIME)
        trailer->time = parse_word(&cursor);
    return size;
}
