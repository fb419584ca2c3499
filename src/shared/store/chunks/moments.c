/* SPDX-License-Identifier: Apache-2.0 */
#include "store/chunks/moments.h"

#include <errno.h>

#include "base/invariant.h"

#define US 1000u

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_time(const void *left, const void *right)
{
    return compare(((const struct moment *)left)->after_ns,
                   ((const struct moment *)right)->after_ns);
}

static int by_kind(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    int order = compare(a->column, b->column);
    if (order == 0)
        order = compare(a->thread, b->thread);
    return order ? order : compare(a->stack, b->stack);
}

void moments_order(struct moment *moments, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (moments[i - 1].after_ns > moments[i].after_ns) {
            qsort(moments, count, sizeof(moments[0]), by_time);
            return;
        }
}

size_t moments_fold(struct moment *moments, size_t count)
{
    size_t kept = 0;
    if (count > 0)
        qsort(moments, count, sizeof(moments[0]), by_kind);
    for (size_t i = 0; i < count;) {
        struct moment sum = moments[i++];
        for (; i < count && by_kind(&sum, &moments[i]) == 0; i++) {
            sum.value = (int64_t)((uint64_t)sum.value + (uint64_t)moments[i].value);
            sum.count += moments[i].count;
        }
        sum.after_ns = MOMENT_TIMELESS;
        moments[kept++] = sum;
        INVARIANT(kept <= i && (kept < 2 || by_kind(&moments[kept - 2], &sum) < 0));
    }
    return kept;
}

/* Like numbers stand together, which is what zstd wants. */
void moments_put(struct byte_buffer *buffer, const struct moment *moments, size_t count)
{
    size_t timed = 0;
    while (timed < count && moments[timed].after_ns != MOMENT_TIMELESS)
        timed++;
    INVARIANT(timed == count || moments[timed].after_ns == MOMENT_TIMELESS);
    put_varint(buffer, count);
    put_varint(buffer, timed);
    for (size_t i = 0; i < timed; i++)
        put_varint(buffer, moments[i].after_ns / US - (i > 0 ? moments[i - 1].after_ns / US : 0));
    for (size_t i = 0; i < count; i++)
        put_varint(buffer, moments[i].thread);
    for (size_t i = 0; i < count; i++)
        put_varint(buffer, moments[i].stack);
    for (size_t i = 0; i < count; i++)
        put_varint(buffer, moments[i].column);
    for (size_t i = 0; i < count; i++)
        put_varint(buffer, moments[i].count);
    for (size_t i = 0; i < count; i++)
        put_signed(buffer, moments[i].value);
}

static void parse_all(struct byte_reader *reader, struct moment *moments, size_t count,
                      size_t timed)
{
    INVARIANT(timed <= count);
    uint64_t us = 0;
    for (size_t i = 0; i < count; i++) {
        us += i < timed ? parse_varint(reader) : 0;
        if (us > UINT64_MAX / US - 1)
            reader->failed = true;
        moments[i].after_ns = i < timed ? us * US : MOMENT_TIMELESS;
    }
    for (size_t i = 0; i < count; i++)
        moments[i].thread = parse_u32(reader);
    for (size_t i = 0; i < count; i++)
        moments[i].stack = parse_u32(reader);
    for (size_t i = 0; i < count; i++) {
        uint32_t const column = parse_u32(reader);
        if (column >= COLUMN_LIMIT)
            reader->failed = true;
        moments[i].column = (uint16_t)column;
    }
    for (size_t i = 0; i < count; i++)
        moments[i].count = parse_u32(reader);
    for (size_t i = 0; i < count; i++)
        moments[i].value = parse_signed(reader);
}

#define LEAST_BYTES 5u /* of one, without its time */

int moments_parse(struct byte_reader *reader, struct moment **moments, size_t *count)
{
    *moments = NULL;
    *count = 0;
    size_t const all = parse_count(reader, LEAST_BYTES);
    size_t const timed = parse_count(reader, 1);
    if (reader->failed || timed > all)
        return -EINVAL;
    if (all == 0)
        return 0;
    struct moment *parsed = calloc(all, sizeof(parsed[0]));
    if (!parsed)
        return -ENOMEM;
    parse_all(reader, parsed, all, timed);
    if (reader->failed) {
        free(parsed);
        return -EINVAL;
    }
    *moments = parsed;
    *count = all;
    return 0;
}
