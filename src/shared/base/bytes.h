/* bytes.h - encodes and decodes byte strings: varints, signed varints, plain bytes.
 *
 * Buffer and reader remember a failure, so callers write or read a whole record and check `failed`
 * once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct byte_buffer {
    uint8_t *data;
    size_t size, room;
    bool failed; /* Out of memory: `data` is incomplete. */
};

struct byte_reader {
    const uint8_t *at, *end;
    bool failed; /* The input was too short, or a number was out of range. */
};

static inline void bytes_clear(struct byte_buffer *buffer)
{
    buffer->size = 0;
    buffer->failed = false;
}

static inline void bytes_free(struct byte_buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct byte_buffer){0};
}

/* Makes room for `extra` more bytes at data + size.  Returns false, also when the buffer has failed
 * before, and sets `failed` if out of memory. */
static inline bool bytes_reserve(struct byte_buffer *buffer, size_t extra)
{
    if (buffer->room - buffer->size >= extra)
        return !buffer->failed;
    size_t room = buffer->room ? buffer->room : 256;
    while (room - buffer->size < extra)
        room *= 2;
    uint8_t *data = realloc(buffer->data, room);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->room = room;
    return !buffer->failed;
}

static inline void put_bytes(struct byte_buffer *buffer, const void *data, size_t size)
{
    if (size == 0 || !bytes_reserve(buffer, size))
        return;
    memcpy(buffer->data + buffer->size, data, size);
    buffer->size += size;
}

/* Seven bits per byte, lowest first; the high bit says that more bytes follow. */
static inline void put_varint(struct byte_buffer *buffer, uint64_t value)
{
    if (!bytes_reserve(buffer, 10))
        return;
    uint8_t *at = buffer->data + buffer->size;
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    buffer->size = (size_t)(at - buffer->data);
}

/* Maps small numbers of either sign to small unsigned ones: 0, -1, 1, -2 ... to 0, 1, 2, 3 ... */
static inline uint64_t zigzag(int64_t value)
{
    uint64_t doubled = (uint64_t)value << 1;
    return value < 0 ? ~doubled : doubled;
}

static inline int64_t unzigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (~(value & 1) + 1));
}

static inline void put_signed(struct byte_buffer *buffer, int64_t value)
{
    put_varint(buffer, zigzag(value));
}

/* Writes the difference of two numbers as a signed varint.  It wraps; parse_step wraps back. */
static inline void put_step(struct byte_buffer *buffer, uint64_t from, uint64_t to)
{
    put_signed(buffer, (int64_t)(to - from));
}

static inline size_t bytes_left(const struct byte_reader *reader)
{
    return (size_t)(reader->end - reader->at);
}

/* A varint of at most eight bytes from a word with the bytes that begin there, lowest first; its
 * length goes to *size, 0 if it is longer. */
static inline uint64_t varint_of_word(uint64_t word, unsigned *size)
{
    uint64_t const ends = ~word & UINT64_C(0x8080808080808080);
    if (!ends) {
        *size = 0;
        return 0;
    }
    word &= ends ^ (ends - 1); /* up to the first byte without the high bit */
    word &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    word = (word & UINT64_C(0x007f007f007f007f)) | (word & UINT64_C(0x7f007f007f007f00)) >> 1;
    word = (word & UINT64_C(0x00003fff00003fff)) | (word & UINT64_C(0x3fff00003fff0000)) >> 2;
    word = (word & UINT64_C(0x000000000fffffff)) | (word & UINT64_C(0x0fffffff00000000)) >> 4;
    *size = (unsigned)__builtin_ctzll(ends) / 8 + 1;
    return word;
}

static inline uint64_t parse_varint(struct byte_reader *reader)
{
    size_t const left = (size_t)(reader->end - reader->at);
    if (left > 0 && *reader->at < 0x80) /* most are small */
        return *reader->at++;
    if (left >= 8) {
        unsigned size;
        uint64_t word;
        memcpy(&word, reader->at, sizeof(word));
        word = varint_of_word(word, &size);
        reader->at += size;
        if (size)
            return word;
    }
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (reader->at == reader->end)
            break;
        uint8_t byte = *reader->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    reader->failed = true;
    reader->at = reader->end;
    return 0;
}

/* Passes over so many varints without looking at them, also at their lengths. */
static inline void skip_varints(struct byte_reader *reader, size_t count)
{
    while (count > 8 && reader->end - reader->at >= 8) {
        uint64_t word;
        memcpy(&word, reader->at, sizeof(word));
        word = (~word & UINT64_C(0x8080808080808080)) >> 7; /* 1 in each byte that ends one */
        count -= (size_t)(word * UINT64_C(0x0101010101010101) >> 56);
        reader->at += 8;
    }
    while (count > 0 && reader->at != reader->end)
        count -= *reader->at++ < 0x80;
    reader->failed |= count > 0;
}

static inline int64_t parse_signed(struct byte_reader *reader)
{
    return unzigzag(parse_varint(reader));
}

static inline uint64_t parse_step(struct byte_reader *reader, uint64_t from)
{
    return from + (uint64_t)parse_signed(reader);
}

/* Reads a number; sets `failed` if it does not fit into 32 bits. */
static inline uint32_t parse_u32(struct byte_reader *reader)
{
    uint64_t value = parse_varint(reader);
    if (value > UINT32_MAX)
        reader->failed = true;
    return (uint32_t)value;
}

/* Reads the number of items that follow, each at least `item_bytes` long.  Returns 0 and sets
 * `failed` if the rest of the input is too short for them. */
static inline size_t parse_count(struct byte_reader *reader, size_t item_bytes)
{
    uint64_t count = parse_varint(reader);
    if (count > bytes_left(reader) / item_bytes) {
        reader->failed = true;
        return 0;
    }
    return (size_t)count;
}

/* Returns the next `size` bytes, which stay in the input; NULL and `failed` if there are fewer. */
static inline const uint8_t *consume_bytes(struct byte_reader *reader, size_t size)
{
    if (size > bytes_left(reader)) {
        reader->failed = true;
        return NULL;
    }
    reader->at += size;
    return reader->at - size;
}

/* Writes the low `bytes` bytes of `value`, lowest first (little endian). */
static inline void put_le(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline uint64_t get_le(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << (8 * i);
    return value;
}
