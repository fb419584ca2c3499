/* byte_cursor.h - reads numbers from bytes without ever passing the end.
 *
 * A read past the end returns 0 and sets `failed`; check that once before the values are used. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct byte_cursor {
    const uint8_t *at, *end;
    bool failed;
};

static inline void cursor_consume(struct byte_cursor *cursor, void *value, size_t size)
{
    if ((size_t)(cursor->end - cursor->at) < size) {
        memset(value, 0, size);
        cursor->failed = true;
        cursor->at = cursor->end;
        return;
    }
    memcpy(value, cursor->at, size);
    cursor->at += size;
}

static inline uint8_t cursor_u8(struct byte_cursor *cursor)
{
    uint8_t value;
    cursor_consume(cursor, &value, sizeof(value));
    return value;
}

static inline uint16_t cursor_u16(struct byte_cursor *cursor)
{
    uint16_t value;
    cursor_consume(cursor, &value, sizeof(value));
    return value;
}

static inline uint32_t cursor_u32(struct byte_cursor *cursor)
{
    uint32_t value;
    cursor_consume(cursor, &value, sizeof(value));
    return value;
}

static inline uint64_t cursor_u64(struct byte_cursor *cursor)
{
    uint64_t value;
    cursor_consume(cursor, &value, sizeof(value));
    return value;
}

static inline void cursor_skip(struct byte_cursor *cursor, uint64_t size)
{
    if (size > (uint64_t)(cursor->end - cursor->at)) {
        cursor->failed = true;
        cursor->at = cursor->end;
        return;
    }
    cursor->at += size;
}

/* Drops bits past 64.  The longest meaningful form has ten bytes. */
static inline uint64_t cursor_uleb(struct byte_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t byte = cursor_u8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80) || cursor->failed)
            return value;
    }
}

static inline int64_t cursor_sleb(struct byte_cursor *cursor)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = cursor_u8(cursor);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) && !cursor->failed);
    if (shift < 64 && (byte & 0x40))
        value |= ~0ull << shift;
    return (int64_t)value;
}
