/* perf_data_writer.h - inside the writer of perf.data: what its parts share. */
#pragma once

#include <linux/perf_event.h>
#include <string.h>

#include "base/clock.h"
#include "formats/perf/perf_data_format.h"
#include "formats/perf/perf_data_layout.h"
#include "formats/shared/output.h"
#include "formats/shared/registry.h"

#define PERF_EVENT_ID 1u
/* added to all times, because time 0 means that there is none */
#define PERF_TIME_BASE     NS_PER_SECOND
#define PERF_MISC_BUILD_ID (1u << 14)
#define PERF_KERNEL_NAME   "[kernel.kallsyms]"

/* An output for bytes, or a counter of bytes. */
struct perf_data_sink {
    struct output *out; /* NULL: only count */
    uint64_t size;
    size_t fill; /* size of the open record; 0: no record is open */
    unsigned char record[1 << 16];
};

struct perf_writer {
    struct export_job *job;
    struct perf_layout layout;
    struct weights weights;        /* of the metric, after the filter */
    struct number_map kept;        /* stacks in the weights, plus one */
    struct number_map uses;        /* which processes use which modules, see use_key */
    struct number_map thread_pids; /* PIDs of threads, by index plus one */
    enum column column, count;     /* columns of the cells */
    bool is_time,
        has_buckets; /* has_buckets: cells or moments of buckets are written as samples, by time */
    uint64_t first_ns, last_ns;
    struct perf_data_sink sink;
    uint64_t samples;
};

/* Writes all samples, in the order of the recording's buckets.  Returns 0 or -errno with a
 * sentence. */
int perf_writer_samples(struct perf_writer *writer, struct fault *fault);
/* Returns whether a sample of the process has a frame of the module; valid after samples were
 * counted. */
bool perf_writer_uses(const struct perf_writer *writer, size_t process, size_t module);

/* Writes the records of the kernel, of processes and threads, and of their mappings. */
void perf_writer_processes(struct perf_writer *writer);
/* Converts hex to bytes.  Returns their number. */
size_t perf_writer_unhex(const char *hex, uint8_t bytes[PERF_BUILD_ID_BYTES]);

/* Write what is before the records, and what is after them. */
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

/* Writes text, at most 4 KiB, padded with at least one zero to a multiple of 8. */
static inline void perf_sink_text(struct perf_data_sink *sink, const char *text)
{
    static const char zeros[8] = {0};
    size_t const size = strnlen(text, 4096);
    perf_sink_put(sink, text, size);
    perf_sink_put(sink, zeros, 8 - size % 8);
}

/* Writes text as features have it, after its length. */
static inline void perf_sink_feature_text(struct perf_data_sink *sink, const char *text)
{
    static const char zeros[64] = {0};
    size_t const size = strnlen(text, 4096);
    uint32_t const padded = (uint32_t)(size / 64 * 64 + 64);
    perf_sink_put(sink, &padded, sizeof(padded));
    perf_sink_put(sink, text, size);
    perf_sink_put(sink, zeros, padded - size);
}
