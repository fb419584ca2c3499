/* perf_data_writer.h - inside the writer of perf.data: its state, and its parts. */
#pragma once

#include <linux/perf_event.h>

#include "formats/perf/perf_data_format.h"
#include "formats/perf/perf_data_layout.h"
#include "formats/perf/perf_data_sink.h"
#include "formats/shared/registry.h"

#define PERF_EVENT_ID      1u
#define PERF_TIME_BASE     UINT64_C(1000000000) /* no time is 0, which means that there is none */
#define PERF_MISC_BUILD_ID (1u << 14)
#define PERF_KERNEL_NAME   "[kernel.kallsyms]"

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

/* All samples, in the order of the recording's buckets.  0 or -errno with a sentence. */
int perf_writer_samples(struct perf_writer *writer, struct fault *fault);
/* Whether the process has anything of the module in a sample; known once samples were counted. */
bool perf_writer_uses(const struct perf_writer *writer, size_t process, size_t module);

/* The kernel, processes and threads, and what they have mapped. */
void perf_writer_processes(struct perf_writer *writer);
/* Hex into bytes; how many. */
size_t perf_writer_unhex(const char *hex, uint8_t bytes[PERF_BUILD_ID_BYTES]);

/* What comes before the records, and after them. */
void perf_writer_header(struct perf_writer *writer, uint64_t data_size);
void perf_writer_features(struct perf_writer *writer);
