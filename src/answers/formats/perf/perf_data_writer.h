/* perf_data_writer.h - inside the writer of perf.data: its state, and its parts. */
#pragma once

#include <linux/perf_event.h>
#include <string.h>

#include "base/clock.h"
#include "formats/perf/perf_data_format.h"
#include "formats/perf/perf_data_layout.h"
#include "formats/shared/output.h"
#include "formats/shared/registry.h"

#define PERF_EVENT_ID      1u
#define PERF_TIME_BASE     NS_PER_SECOND /* no time is 0, which means that there is none */
#define PERF_MISC_BUILD_ID (1u << 14)
#define PERF_KERNEL_NAME   "[kernel.kallsyms]"

/* Bytes on their way out, or only counted. */
struct perf_data_sink {
    struct output *out; /* NULL: only count */
    uint64_t size;
    size_t fill; /* of the record that was begun; 0: none was */
    unsigned char record[1 << 16];
};

struct perf_writer {
    struct export_job *job;
    struct perf_layout layout;
    struct weights weights;        /* of the metric, after the filter */
    struct number_map kept;        /* stacks in them, plus one */
    struct number_map uses;        /* of modules by processes, see use_key */
    struct number_map thread_pids; /* of threads, by index plus one */
    enum column column, count;     /* of cells */
    bool is_time,
        has_buckets; /* has_buckets: its cells or moments are written as samples, by time */
    uint64_t first_ns, last_ns;
    struct perf_data_sink sink;
    uint64_t samples;
};

/* All samples, in the order of the recording's buckets.  Returns 0 or -errno with a sentence. */
int perf_writer_samples(struct perf_writer *writer, struct fault *fault);
/* Returns whether the process has anything of the module in a sample; known once samples were
 * counted. */
bool perf_writer_uses(const struct perf_writer *writer, size_t process, size_t module);

/* The kernel, processes and threads, and what they have mapped. */
void perf_writer_processes(struct perf_writer *writer);
/* Hex into bytes; how many. */
size_t perf_writer_unhex(const char *hex, uint8_t bytes[PERF_BUILD_ID_BYTES]);

/* What comes before the records, and after them. */
void perf_writer_header(struct perf_writer *writer, uint64_t data_size);
void perf_writer_features(struct perf_writer *writer);

static inline void perf_sink_put(struct perf_data_sink *sink, const void *bytes, size_t size)
{
    if (sink->fill > 0) {
        if (size <= sizeof(sink->record) - 8 - sink->fill) {
            memcpy(sink->record + sink->fill, bytes, size);
            sink->fill += size;
        }
        return;
    }
    if (sink->out)
        output_bytes(sink->out, bytes, size);
    sink->size += size;
}

static inline void perf_sink_begin(struct perf_data_sink *sink, uint32_t type, uint16_t misc)
{
    memcpy(sink->record, &type, sizeof(type));
    memcpy(sink->record + 4, &misc, sizeof(misc));
    sink->fill = 8;
}

static inline void perf_sink_end(struct perf_data_sink *sink)
{
    uint16_t const size = (uint16_t)sink->fill;
    memcpy(sink->record + 6, &size, sizeof(size));
    sink->fill = 0;
    perf_sink_put(sink, sink->record, size);
}

/* With zeros up to a multiple of 8, at least one; at most 4 KiB. */
static inline void perf_sink_text(struct perf_data_sink *sink, const char *text)
{
    static const char zeros[8] = {0};
    size_t const size = strnlen(text, 4096);
    perf_sink_put(sink, text, size);
    perf_sink_put(sink, zeros, 8 - size % 8);
}

/* As features have it: with its length before. */
static inline void perf_sink_feature_text(struct perf_data_sink *sink, const char *text)
{
    static const char zeros[64] = {0};
    size_t const size = strnlen(text, 4096);
    uint32_t const padded = (uint32_t)(size / 64 * 64 + 64);
    perf_sink_put(sink, &padded, sizeof(padded));
    perf_sink_put(sink, text, size);
    perf_sink_put(sink, zeros, padded - size);
}
