/* perf_data_stream.h - the records of a perf.data one after the other, unpacked where they are
 * packed.
 *
 * Nothing is mapped: a file that is cut short meanwhile must not hurt us.  Memory does not grow
 * with the file. */
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
/* Returns how many were read, 0 at the end. */
size_t perf_bytes_read(const struct perf_bytes *bytes, uint64_t offset, void *to, size_t size);

enum perf_stop {
    PERF_STOP_NONE,       /* not at its end */
    PERF_STOP_END,        /* all of the data was read */
    PERF_STOP_CUT,        /* in the middle of a record */
    PERF_STOP_IMPOSSIBLE, /* what comes next is no record */
    PERF_STOP_MEMORY      /* there was not enough */
};

struct perf_stream;

/* Records from `offset` to `end`.  `strict`: a type that no perf has ends it; for files whose
 * size of data is not known. `bytes` must outlive it.  NULL when out of memory. */
struct perf_stream *perf_stream_open(const struct perf_bytes *bytes, uint64_t offset, uint64_t end,
                                     bool strict);
void perf_stream_close(struct perf_stream *stream);

/* The next record, valid until the one after it.  false at the end. */
bool perf_stream_next(struct perf_stream *stream, struct perf_record *record);

enum perf_stop perf_stream_stop(const struct perf_stream *stream);
uint64_t perf_stream_left(const struct perf_stream *stream); /* bytes that were not read */
uint64_t
perf_stream_damaged(const struct perf_stream *stream); /* packed blocks that made no sense */
