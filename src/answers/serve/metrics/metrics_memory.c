/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_memory.c - metrics of a breakdown of all memory of the process. */
#include <stddef.h>
#include <stdlib.h>

#include "procfs/process/proc_text.h"
#include "serve/metrics/metrics_families.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* By category and subsystem. */
static const struct part_row {
    const char *name, *help;
    size_t offset; /* in struct memory_bytes */
    bool needs_shares;
} part_rows[] = {
    {"memoir_resident_bytes", "Resident memory by owner; the sum is all resident memory.",
     offsetof(struct memory_bytes, rss), false},
    {"memoir_proportional_bytes",
     "Proportional memory by owner: each page divided by the number of processes that map it "
     "(PSS).",
     offsetof(struct memory_bytes, pss), true},
    {"memoir_swap_bytes", "In swap.", offsetof(struct memory_bytes, swap), false},
    {"memoir_virtual_bytes", "Of addresses.", offsetof(struct memory_bytes, size), false},
};

static const struct total_row {
    const char *name, *help;
    size_t offset;
} total_rows[] = {
    {"memoir_lazyfree_bytes", "Resident, but given back with MADV_FREE.",
     offsetof(struct memory_bytes, lazy_free)},
    {"memoir_thp_bytes", "Resident in transparent huge pages.",
     offsetof(struct memory_bytes, huge)},
    {"memoir_locked_bytes", "Locked into memory.", offsetof(struct memory_bytes, locked)},
};

static const struct cgroup_row {
    const char *kind;
    size_t offset; /* of an int64_t in struct cgroup_memory */
} cgroup_rows[] = {
    {"anon", offsetof(struct cgroup_memory, anon)},
    {"file", offsetof(struct cgroup_memory, file)},
    {"shmem", offsetof(struct cgroup_memory, shmem)},
    {"kernel", offsetof(struct cgroup_memory, kernel)},
    {"slab", offsetof(struct cgroup_memory, slab)},
    {"sock", offsetof(struct cgroup_memory, sock)},
    {"pagetables", offsetof(struct cgroup_memory, page_tables)},
    {"kernel_stack", offsetof(struct cgroup_memory, kernel_stack)},
};

static uint64_t bytes_at(const struct memory_bytes *bytes, size_t offset)
{
    return *(const uint64_t *)(const void *)((const char *)bytes + offset);
}

static void write_one(struct metrics_out *out, const char *name, const char *help, int64_t value)
{
    if (value < 0)
        return;
    metrics_family(out, name, "gauge", "bytes", help);
    metrics_int(out, NULL, 0, value);
}

static void write_part(struct metrics_out *out, const struct subsystem *part, uint64_t value)
{
    const struct metrics_label labels[] = {{"category", breakdown_section_key(part->category)},
                                           {"subsystem", part->name}};
    metrics_uint(out, labels, 2, value);
}

static void write_parts(struct metrics_out *out, const struct memory_look *look)
{
    for (size_t i = 0; i < COUNT(part_rows); i++) {
        if (part_rows[i].needs_shares && !look->has_shares)
            continue;
        metrics_family(out, part_rows[i].name, "gauge", "bytes", part_rows[i].help);
        vec_each (part, &look->subsystems)
            write_part(out, part, bytes_at(&part->bytes, part_rows[i].offset));
    }
    if (!look->has_shares)
        return;
    metrics_family(out, "memoir_unique_bytes", "gauge", "bytes",
                   "Resident memory that no other process shares (USS), by owner.");
    vec_each (part, &look->subsystems)
        write_part(out, part, memory_bytes_private(&part->bytes));
}

static void write_totals(struct metrics_out *out, const struct memory_look *look)
{
    for (size_t i = 0; i < COUNT(total_rows) && look->has_shares; i++)
        write_one(out, total_rows[i].name, total_rows[i].help,
                  (int64_t)bytes_at(&look->total, total_rows[i].offset));
    write_one(out, "memoir_hugetlb_bytes", "In huge pages of hugetlbfs, which are not in RSS.",
              (int64_t)(look->total.shared_hugetlb + look->total.private_hugetlb));
    write_one(out, "memoir_pagetable_bytes", "Page tables, which are not in RSS.",
              look->page_tables);
    metrics_family(out, "memoir_unattributed_bytes", "gauge", "bytes",
                   "VmRSS of the kernel minus the sum of memoir_resident_bytes.");
    metrics_int(out, NULL, 0, look->unattributed);
    write_one(out, "process_virtual_memory_bytes",
              "Virtual memory size in bytes, of the watched process.", (int64_t)look->total.size);
}

static void write_runtimes(struct metrics_out *out, const struct memory_look *look, bool limits)
{
    bool has_begun = false;
    vec_each (number, &look->inside) {
        const struct metrics_label labels[] = {{"runtime", number->runtime},
                                               {"class", number->name}};
        if (number->is_limit != limits)
            continue;
        if (!has_begun && limits)
            metrics_family(out, "memoir_runtime_limit_bytes", "gauge", "bytes",
                           "Limits that runtimes have set themselves: GOMEMLIMIT, -Xmx.");
        else if (!has_begun)
            metrics_family(
                out, "memoir_runtime_bytes", "gauge", "bytes",
                "Numbers that runtimes and allocators count themselves: part of the resident "
                "memory, not added to it.");
        has_begun = true;
        metrics_uint(out, labels, 2, number->bytes);
    }
}

static void write_cgroup(struct metrics_out *out, const struct cgroup_memory *cgroup)
{
    if (cgroup->version == 0)
        return;
    write_one(out, "memoir_cgroup_current_bytes",
              "Memory of the cgroup, which other processes may "
              "share.",
              cgroup->current);
    write_one(out, "memoir_cgroup_working_set_bytes",
              "Memory of the cgroup minus inactive page cache, as kubectl top shows "
              "it.",
              cgroup->working_set);
    write_one(out, "memoir_cgroup_limit_bytes",
              "Memory limit of the cgroup, if it has "
              "one.",
              cgroup->limit);
    write_one(out, "memoir_cgroup_swap_bytes", "Its swap.", cgroup->swap);
    metrics_family(out, "memoir_cgroup_bytes", "gauge", "bytes", "Memory of the cgroup by kind.");
    for (size_t i = 0; i < COUNT(cgroup_rows); i++) {
        int64_t const value =
            *(const int64_t *)(const void *)((const char *)cgroup + cgroup_rows[i].offset);
        if (value >= 0)
            metrics_int(out, &(struct metrics_label){"kind", cgroup_rows[i].kind}, 1, value);
    }
}

static void write_counts(struct metrics_out *out, const struct memory_look *look)
{
    char *limit;
    metrics_family(out, "memoir_vmas", "gauge", "", "Mappings of the process.");
    metrics_uint(out, NULL, 0, look->regions);
    if (proc_text_read("/proc/sys/vm/max_map_count", 64, &limit) < 0)
        return;
    metrics_family(out, "memoir_vmas_limit", "gauge", "",
                   "Largest number of mappings that the "
                   "process may have.");
    metrics_uint(out, NULL, 0, strtoull(limit, NULL, 10));
    free(limit);
}

static void write_captures(struct metrics_out *out, const struct memory_look *look)
{
    const struct {
        struct metrics_label labels[2];
        uint64_t count;
    } rows[] = {
        {{{"tier", "smaps"}, {"result", "ok"}}, look->looks - look->gentle_looks - look->failures},
        {{{"tier", "pagemap"}, {"result", "ok"}}, look->gentle_looks},
        {{{"tier", "none"}, {"result", "failed"}}, look->failures}};
    metrics_family(out, "memoir_captures_total", "counter", "",
                   "Snapshots of all memory of the process, by method and result.");
    for (size_t i = 0; i < COUNT(rows); i++)
        metrics_uint(out, rows[i].labels, 2, rows[i].count);
}

void metrics_write_memory(struct metrics_out *out, const struct memory_look *look)
{
    if (look->is_known) {
        write_parts(out, look);
        write_totals(out, look);
        write_runtimes(out, look, false);
        write_runtimes(out, look, true);
        write_cgroup(out, &look->cgroup);
        write_counts(out, look);
    }
    metrics_family(out, "memoir_capture_seconds", "gauge", "seconds",
                   "Duration of the last snapshot of all memory of the process.");
    metrics_real(out, NULL, 0, (double)look->cost_ns / 1e9);
    write_captures(out, look);
}
