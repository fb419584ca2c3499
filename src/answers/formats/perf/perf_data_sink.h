/* perf_data_sink.h - bytes of a perf.data on their way out, or only counted. */
#pragma once

#include <string.h>

#include "formats/shared/output.h"

struct perf_data_sink {
    struct output *out; /* NULL: only count */
    uint64_t size;
    size_t fill; /* of the record that was begun; 0: none was */
    unsigned char record[1 << 16];
};

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
