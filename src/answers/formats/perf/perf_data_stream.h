/* perf_data_stream.h - reads the records of a perf.data one after the other, and unpacks them if
 * they are packed.
 *
 * The file is not mapped, because it could be truncated meanwhile.  Memory does not grow with the
 * file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "formats/perf/perf_data_format.h"

/* A file, or bytes in memory. */
struct perf_bytes {
    int fd; /* -1: memory */
    const uint8_t *memory;
    uint64_t size;
};
/* Returns the number of bytes read; 0 at the end. */
size_t perf_bytes_read(const struct perf_bytes *bytes, uint64_t offset, void *to, size_t size);

enum perf_stop {
    PERF_STOP_NONE,       /* not at the end */
    PERF_STOP_END,        /* all of the data was read */
    PERF_STOP_CUT,        /* the data ends in the middle of a record */
    PERF_STOP_IMPOSSIBLE, /* the next bytes are no record */
    PERF_STOP_MEMORY      /* out of memory */
};

struct perf_stream;

/* Opens the records from `offset` to `end`.  `strict`: a record type that perf does not have ends
 * the stream; for files with unknown size of data.  `bytes` must outlive the stream.  Returns NULL
 * when out of memory. */
struct perf_stream *perf_stream_open(const struct perf_bytes *bytes, uint64_t offset, uint64_t end,
                                     bool strict);
void perf_stream_close(struct perf_stream *stream);

/* Returns the next record, valid until the next call.  Returns false at the end. */
bool perf_stream_next(struct perf_stream *stream, struct perf_record *record);

enum perf_stop perf_stream_stop(const struct perf_stream *stream);
uint64_t perf_stream_left(const struct perf_stream *stream); /* bytes that were not read */
uint64_t
perf_stream_damaged(const struct perf_stream *stream); /* number of invalid packed blocks */
