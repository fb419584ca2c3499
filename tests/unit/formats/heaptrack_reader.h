/* heaptrack_reader.h - what heaptrack's own programs would make of a file, for tests: the same
 * rules for calls, temporary, leaked and peak, and more checks than they have. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define READER_TRACES 512
#define READER_INFOS  200000

struct trace_cost {
    char path[1024]; /* outermost first: "main;f;inlined" */
    int64_t calls, temporary, leaked, peak;
};

struct heaptrack_reading {
    struct trace_cost traces[READER_TRACES]; /* by trace; [0] is the unknown stack */
    size_t trace_count;
    struct trace_cost total;
    uint64_t peak_ms, last_ms, rss_pages;
    uint64_t events;
    uint64_t unmatched; /* frees of an info that has no block outstanding */
    size_t comments;
};

/* Fails the test where the file is malformed.  The caller frees. */
struct heaptrack_reading *heaptrack_read(const char *text);
/* The one trace with this path, or NULL; costs of traces with equal paths are added. */
struct trace_cost heaptrack_cost(const struct heaptrack_reading *reading, const char *path);
