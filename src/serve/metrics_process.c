/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#include "serve/metrics_families.h"

static const struct row {
    const char *name, *help;
    size_t offset; /* in struct memory_status; a negative number there is none */
} status_rows[] = {
    {"memoir_rss_bytes", "Resident memory of the process (VmRSS).",
     offsetof(struct memory_status, rss_bytes)},
    {"memoir_rss_peak_bytes", "The most it ever had resident (VmHWM).",
     offsetof(struct memory_status, rss_peak_bytes)},
    {"memoir_swap_bytes", "Of the process in swap (VmSwap).",
     offsetof(struct memory_status, swap_bytes)},
    {"process_resident_memory_bytes", "Resident memory size in bytes, of the watched process.",
     offsetof(struct memory_status, rss_bytes)},
};

static const struct category {
    const char *name;
    size_t offset;
} categories[] = {
    {"anonymous", offsetof(struct memory_status, anon_bytes)},
    {"file", offsetof(struct memory_status, file_bytes)},
    {"shmem", offsetof(struct memory_status, shmem_bytes)},
};

static const struct rollup_row {
    const char *name, *help;
    size_t offset; /* in struct memory_bytes */
} rollup_rows[] = {
    {"memoir_proportional_bytes",
     "Resident, each page divided by the processes that share it (Pss).",
     offsetof(struct memory_bytes, pss)},
    {"memoir_lazyfree_bytes", "Resident, but given back with MADV_FREE.",
     offsetof(struct memory_bytes, lazy_free)},
    {"memoir_thp_bytes", "Resident in transparent huge pages.",
     offsetof(struct memory_bytes, huge)},
    {"memoir_locked_bytes", "Locked into memory.", offsetof(struct memory_bytes, locked)},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int64_t status_value(const struct memory_status *memory, size_t offset)
{
    return *(const int64_t *)(const void *)((const char *)memory + offset);
}

static void write_one(struct metrics_out *out, const char *name, const char *help, uint64_t value)
{
    metrics_family(out, name, "gauge", "bytes", help);
    metrics_uint(out, NULL, 0, value);
}

static void write_categories(struct metrics_out *out, const struct memory_status *memory)
{
    metrics_family(out, "memoir_resident_bytes", "gauge", "bytes",
                   "Resident memory by category; the sum is memoir_rss_bytes.");
    for (size_t i = 0; i < COUNT(categories); i++) {
        struct metrics_label const label = {"category", categories[i].name};
        int64_t const value = status_value(memory, categories[i].offset);
        if (value >= 0)
            metrics_int(out, &label, 1, value);
    }
}

static void write_rollup(struct metrics_out *out, const struct rollup *rollup)
{
    const struct memory_bytes *bytes = &rollup->bytes;
    for (size_t i = 0; i < COUNT(rollup_rows) && rollup->is_known; i++)
        write_one(out, rollup_rows[i].name, rollup_rows[i].help,
                  *(const uint64_t *)(const void *)((const char *)bytes + rollup_rows[i].offset));
    if (rollup->is_known) {
        write_one(out, "memoir_unique_bytes", "Resident and in no other process (Uss).",
                  memory_bytes_private(bytes));
        write_one(out, "memoir_hugetlb_bytes", "In huge pages of hugetlbfs, which are not in RSS.",
                  bytes->shared_hugetlb + bytes->private_hugetlb);
    }
    metrics_family(out, "memoir_capture_seconds", "gauge", "seconds",
                   "How long the last walk over the pages of the process took.");
    metrics_real(out, NULL, 0, (double)rollup->cost_ns / 1e9);
    metrics_family(out, "memoir_captures_total", "counter", "", "Such walks, by result.");
    metrics_uint(out, &(struct metrics_label){"result", "ok"}, 1, rollup->reads - rollup->failures);
    metrics_uint(out, &(struct metrics_label){"result", "failed"}, 1, rollup->failures);
}

void metrics_write_process(struct metrics_out *out, const struct memory_status *memory,
                           const struct rollup *rollup, uint64_t began_unix_ns)
{
    for (size_t i = 0; i < COUNT(status_rows); i++) {
        int64_t const value = status_value(memory, status_rows[i].offset);
        if (value >= 0)
            write_one(out, status_rows[i].name, status_rows[i].help, (uint64_t)value);
    }
    write_categories(out, memory);
    write_rollup(out, rollup);
    if (memory->threads >= 0) {
        metrics_family(out, "memoir_threads", "gauge", "", "Threads of the process.");
        metrics_int(out, NULL, 0, memory->threads);
    }
    metrics_family(out, "process_start_time_seconds", "gauge", "seconds",
                   "Start time of the watched process since unix epoch in seconds.");
    metrics_real(out, NULL, 0, (double)began_unix_ns / 1e9);
}
