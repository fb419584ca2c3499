/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "serve/metrics/metrics_families.h"

static const struct process_row {
    const char *name, *unit, *help;
    size_t offset; /* in struct memory_status; a negative number there is none */
} rows[] = {
    {"memoir_rss_bytes", "bytes", "Resident memory of the process (VmRSS).",
     offsetof(struct memory_status, rss_bytes)},
    {"memoir_rss_anonymous_bytes", "bytes", "Resident memory without a file (RssAnon).",
     offsetof(struct memory_status, anon_bytes)},
    {"memoir_rss_file_bytes", "bytes", "Resident pages of files (RssFile).",
     offsetof(struct memory_status, file_bytes)},
    {"memoir_rss_shmem_bytes", "bytes", "Resident shared memory (RssShmem).",
     offsetof(struct memory_status, shmem_bytes)},
    {"memoir_rss_peak_bytes", "bytes", "Largest resident memory of the process so far (VmHWM).",
     offsetof(struct memory_status, rss_peak_bytes)},
    {"memoir_swapped_bytes", "bytes", "Memory of the process in swap (VmSwap).",
     offsetof(struct memory_status, swap_bytes)},
    {"memoir_threads", "", "Threads of the process.", offsetof(struct memory_status, threads)},
    {"process_resident_memory_bytes", "bytes",
     "Resident memory size in bytes, of the watched process.",
     offsetof(struct memory_status, rss_bytes)},
};

void metrics_write_process(struct metrics_out *out, const struct memory_status *memory,
                           uint64_t address_limit, uint64_t began_unix_ns)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t const value =
            *(const int64_t *)(const void *)((const char *)memory + rows[i].offset);
        if (value < 0)
            continue;
        metrics_family(out, rows[i].name, "gauge", rows[i].unit, rows[i].help);
        metrics_int(out, NULL, 0, value);
    }
    metrics_family(out, "process_virtual_memory_max_bytes", "gauge", "bytes",
                   "Maximum amount of virtual memory available in bytes, of the watched process.");
    metrics_uint(out, NULL, 0, address_limit ? address_limit : UINT64_MAX);
    metrics_family(out, "process_start_time_seconds", "gauge", "seconds",
                   "Start time of the watched process since unix epoch in seconds.");
    metrics_real(out, NULL, 0, (double)began_unix_ns / 1e9);
}
