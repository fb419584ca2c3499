/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/perf/perf_data_stream.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#define HEADER_BYTES   8u
#define WINDOW_BYTES   ((size_t)1 << 20)
#define UNPACKED_BYTES ((size_t)1 << 20)
#define PACKED_MAX                                                                                 \
    ((size_t)16 << 20) /* of one block; perf makes them of 64 KiB and a little more */

struct perf_stream {
    const struct perf_bytes *bytes;
    uint64_t next, end; /* what is not in the window yet */
    uint8_t *window;    /* of the file */
    size_t from, fill;  /* not used yet: [from, fill) */
    uint8_t *packed;    /* a block, and how far it is unpacked */
    size_t packed_room, packed_at, packed_size;
    uint8_t *unpacked; /* records from blocks; the last may go on in the next block */
    size_t unpacked_from, unpacked_fill;
    bool has_more; /* that did not fit into `unpacked` */
    ZSTD_DCtx *zstd;
    uint64_t damaged;
    bool strict;
    enum perf_stop stop;
};

size_t perf_bytes_read(const struct perf_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    size_t done = 0;
    if (bytes->fd < 0) {
        if (offset >= bytes->size)
            return 0;
        done = bytes->size - offset < size ? (size_t)(bytes->size - offset) : size;
        memcpy(to, bytes->memory + offset, done);
        return done;
    }
    while (done < size) {
        ssize_t const got =
            pread(bytes->fd, (char *)to + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

struct perf_stream *perf_stream_open(const struct perf_bytes *bytes, uint64_t offset, uint64_t end,
                                     bool strict)
{
    struct perf_stream *stream = calloc(1, sizeof(*stream));
    if (!stream)
        return NULL;
    stream->bytes = bytes;
    stream->next = offset;
    stream->end = end < bytes->size ? end : bytes->size;
    if (stream->next > stream->end)
        stream->next = stream->end;
    stream->strict = strict;
    stream->window = malloc(WINDOW_BYTES);
    if (stream->window)
        return stream;
    free(stream);
    return NULL;
}

void perf_stream_close(struct perf_stream *stream)
{
    if (!stream)
        return;
    ZSTD_freeDCtx(stream->zstd);
    free(stream->window);
    free(stream->packed);
    free(stream->unpacked);
    free(stream);
}

static bool stop(struct perf_stream *stream, enum perf_stop why)
{
    stream->stop = why;
    return false;
}

/* Whether the window has `size` bytes, which are fewer than it can hold. */
static bool have(struct perf_stream *stream, size_t size)
{
    if (stream->fill - stream->from >= size)
        return true;
    memmove(stream->window, stream->window + stream->from, stream->fill - stream->from);
    stream->fill -= stream->from;
    stream->from = 0;
    size_t wanted = WINDOW_BYTES - stream->fill;
    if (stream->end - stream->next < wanted)
        wanted = (size_t)(stream->end - stream->next);
    size_t const got =
        perf_bytes_read(stream->bytes, stream->next, stream->window + stream->fill, wanted);
    stream->next = got < wanted ? stream->end : stream->next + got;
    stream->fill += got;
    return stream->fill >= size;
}

/* Past `size` bytes that may be more than the window holds. */
static void skip(struct perf_stream *stream, uint64_t size)
{
    size_t const here = stream->fill - stream->from;
    if (size <= here) {
        stream->from += (size_t)size;
        return;
    }
    size -= here;
    stream->from = stream->fill;
    stream->next = size < stream->end - stream->next ? stream->next + size : stream->end;
}

static struct perf_record record_at(const uint8_t *at)
{
    uint16_t misc, size;
    memcpy(&misc, at + 4, sizeof(misc));
    memcpy(&size, at + 6, sizeof(size));
    return (struct perf_record){.type = perf_half(at),
                                .misc = misc,
                                .size = size < HEADER_BYTES ? 0 : size - HEADER_BYTES,
                                .body = size < HEADER_BYTES ? NULL : at + HEADER_BYTES};
}

/* --- packed blocks --- */

/* Makes the block the one to unpack.  Its size may pass that of its record. */
static bool begin_block(struct perf_stream *stream, size_t size)
{
    if (size > stream->packed_room) {
        uint8_t *room = size <= PACKED_MAX ? realloc(stream->packed, size) : NULL;
        if (!room)
            return stop(stream, size <= PACKED_MAX ? PERF_STOP_MEMORY : PERF_STOP_IMPOSSIBLE);
        stream->packed = room;
        stream->packed_room = size;
    }
    if (!stream->zstd && !(stream->zstd = ZSTD_createDCtx()))
        return stop(stream, PERF_STOP_MEMORY);
    if (!stream->unpacked && !(stream->unpacked = malloc(UNPACKED_BYTES)))
        return stop(stream, PERF_STOP_MEMORY);
    size_t done = stream->fill - stream->from < size ? stream->fill - stream->from : size;
    memcpy(stream->packed, stream->window + stream->from, done);
    stream->from += done;
    if (done < size) {
        size_t const wanted = stream->end - stream->next < size - done
                                  ? (size_t)(stream->end - stream->next)
                                  : size - done;
        done += perf_bytes_read(stream->bytes, stream->next, stream->packed + done, wanted);
        stream->next += wanted;
    }
    stream->packed_at = 0;
    stream->packed_size = done;
    return done == size || stop(stream, PERF_STOP_CUT);
}

/* COMPRESSED2 says its size in a word, which since perf 6.16 can be more than the record's own. */
static bool begin_sized_block(struct perf_stream *stream, uint32_t record_size)
{
    if (record_size < 8)
        return stop(stream, PERF_STOP_IMPOSSIBLE);
    uint64_t const size = perf_word(stream->window + stream->from);
    stream->from += 8;
    if (size > PACKED_MAX)
        return stop(stream, PERF_STOP_IMPOSSIBLE);
    if (!begin_block(stream, (size_t)size))
        return false;
    uint64_t const whole = (HEADER_BYTES + 8 + size + 7) / 8 * 8, told = record_size + HEADER_BYTES;
    skip(stream, (whole > told ? whole : told) - HEADER_BYTES - 8 - size);
    return true;
}

/* Unpacks some more; false when there is nothing more to unpack. */
static bool unpack(struct perf_stream *stream)
{
    if (stream->packed_at == stream->packed_size && !stream->has_more)
        return false;
    memmove(stream->unpacked, stream->unpacked + stream->unpacked_from,
            stream->unpacked_fill - stream->unpacked_from);
    stream->unpacked_fill -= stream->unpacked_from;
    stream->unpacked_from = 0;
    ZSTD_inBuffer in = {stream->packed, stream->packed_size, stream->packed_at};
    ZSTD_outBuffer out = {stream->unpacked, UNPACKED_BYTES, stream->unpacked_fill};
    size_t const result = ZSTD_decompressStream(stream->zstd, &out, &in);
    if (ZSTD_isError(result)) {
        stream->damaged++;
        stream->packed_at = stream->packed_size;
        stream->has_more = false;
        stream->unpacked_from = stream->unpacked_fill = 0;
        ZSTD_DCtx_reset(stream->zstd, ZSTD_reset_session_only);
        return false;
    }
    bool const moved = in.pos > stream->packed_at || out.pos > stream->unpacked_fill;
    stream->packed_at = in.pos;
    stream->unpacked_fill = out.pos;
    stream->has_more = out.pos == out.size;
    return moved;
}

/* The next whole record of what was unpacked. */
static bool next_unpacked(struct perf_stream *stream, struct perf_record *record)
{
    do {
        size_t const here = stream->unpacked_fill - stream->unpacked_from;
        const uint8_t *at = stream->unpacked + stream->unpacked_from;
        if (here < HEADER_BYTES)
            continue;
        *record = record_at(at);
        if (!record->body || record->type >= PERF_USER_LIMIT) { /* nothing after it can be told */
            stream->damaged++;
            stream->unpacked_from = stream->unpacked_fill;
        } else if (here >= HEADER_BYTES + record->size) {
            stream->unpacked_from += HEADER_BYTES + record->size;
            return true;
        }
    } while (unpack(stream));
    return false;
}

/* --- the file --- */

static bool is_possible(const struct perf_stream *stream, const struct perf_record *record)
{
    if (!record->body)
        return false;
    return !stream->strict || (record->type > 0 && record->type < PERF_USER_LIMIT);
}

/* Data outside of the record that announces it. */
static uint64_t trailing_bytes(const struct perf_record *record)
{
    if (record->type == PERF_USER_AUXTRACE && record->size >= 8)
        return perf_word(record->body);
    if (record->type == PERF_USER_TRACING_DATA && record->size >= 4)
        return perf_half(record->body);
    return 0;
}

static bool next_of_file(struct perf_stream *stream, struct perf_record *record)
{
    if (!have(stream, HEADER_BYTES))
        return stop(stream, stream->fill == stream->from ? PERF_STOP_END : PERF_STOP_CUT);
    *record = record_at(stream->window + stream->from);
    if (!is_possible(stream, record))
        return stop(stream, PERF_STOP_IMPOSSIBLE);
    if (record->type == PERF_USER_COMPRESSED2 && have(stream, HEADER_BYTES + 8)) {
        stream->from += HEADER_BYTES;
        return begin_sized_block(stream, record->size);
    }
    if (!have(stream, HEADER_BYTES + record->size))
        return stop(stream, PERF_STOP_CUT);
    *record = record_at(stream->window + stream->from);
    stream->from += HEADER_BYTES;
    if (record->type == PERF_USER_COMPRESSED)
        return begin_block(stream, record->size);
    stream->from += record->size;
    uint64_t const trailing = trailing_bytes(record);
    if (trailing) /* the record itself stays in the window until the next one is read */
        skip(stream, trailing);
    return true;
}

bool perf_stream_next(struct perf_stream *stream, struct perf_record *record)
{
    while (stream->stop == PERF_STOP_NONE) {
        if (stream->unpacked && next_unpacked(stream, record))
            return true;
        if (!next_of_file(stream, record))
            return false;
        if (record->type != PERF_USER_COMPRESSED && record->type != PERF_USER_COMPRESSED2)
            return true;
    }
    return false;
}

enum perf_stop perf_stream_stop(const struct perf_stream *stream)
{
    return stream->stop;
}

uint64_t perf_stream_left(const struct perf_stream *stream)
{
    return stream->end - stream->next + (stream->fill - stream->from);
}

uint64_t perf_stream_damaged(const struct perf_stream *stream)
{
    return stream->damaged;
}
