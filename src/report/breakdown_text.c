/* SPDX-License-Identifier: Apache-2.0 */
/* The layout is that of the tools people grep; what it cannot hold stands behind it or below. */
#include "report/breakdown_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/human.h"
#include "report/breakdown_parts.h"
#include "report/text_style.h"

#define LEFT_COLUMNS 56
#define ITEMS_MAX    20u /* lines under one label */

static uint64_t mib(uint64_t bytes)
{
    return bytes >> 20;
}

static uint64_t kib(uint64_t bytes)
{
    return bytes >> 10;
}

static void put_exact(FILE *out, const struct breakdown *breakdown,
                      const struct memory_bytes *bytes)
{
    if (breakdown->source == BREAKDOWN_PAGEMAP)
        fprintf(out, " %12" PRIu64 " %12s %12s %11" PRIu64 "\n", kib(bytes->rss), "-", "-",
                kib(bytes->swap));
    else
        fprintf(out, " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %11" PRIu64 "\n", kib(bytes->rss),
                kib(bytes->pss), kib(memory_bytes_private(bytes)), kib(bytes->swap));
}

/* "  Heap:         " for short labels, as many columns as a name takes for long ones; then MB, then the rest. */
static void put_line(FILE *out, const struct breakdown *breakdown, const char *label,
                     const struct memory_bytes *bytes, bool is_name)
{
    char line[128];
    size_t const length = strlen(label);
    int const left =
        is_name || length > 14
            ? snprintf(line, sizeof(line), "  %-40.*s %10" PRIu64 " MB", 40, label, mib(bytes->rss))
            : snprintf(line, sizeof(line), "  %-14s%10" PRIu64 " MB", label, mib(bytes->rss));
    size_t const columns = text_write(out, line, (size_t)left);
    fprintf(out, "%*s", columns < LEFT_COLUMNS ? (int)(LEFT_COLUMNS - columns) : 0, "");
    put_exact(out, breakdown, bytes);
}

static void put_label(FILE *out, const struct breakdown *breakdown, const char *label,
                      const struct memory_bytes *bytes, bool is_name)
{
    char with_colon[128];
    snprintf(with_colon, sizeof(with_colon), "%.100s%s", label, is_name ? "" : ":");
    put_line(out, breakdown, with_colon, bytes, is_name);
}

/* A label with several items, or with one that says more than the label: the items under it. */
static void put_items(FILE *out, const struct breakdown *breakdown, size_t first, size_t next)
{
    struct memory_bytes rest = {0};
    size_t shown = 0, left = 0;
    for (size_t i = first; i < next; i++) {
        const struct breakdown_leaf *leaf = &breakdown->leaves.items[i];
        char name[64];
        if (!leaf->item[0])
            continue;
        if (shown >= ITEMS_MAX || leaf->bytes.rss + leaf->bytes.swap == 0) {
            memory_bytes_add(&rest, &leaf->bytes);
            left++;
            continue;
        }
        snprintf(name, sizeof(name), "  %.36s", leaf->item);
        put_line(out, breakdown, name, &leaf->bytes, true);
        shown++;
    }
    if (left && rest.rss) {
        char name[64];
        snprintf(name, sizeof(name), "  %zu more", left);
        put_line(out, breakdown, name, &rest, true);
    }
}

static void put_section(FILE *out, const struct breakdown *breakdown,
                        enum breakdown_section section)
{
    struct memory_bytes const sum = breakdown_section_sum(breakdown, section);
    bool const is_name =
        section == SECTION_NAMED || section == SECTION_FILE || section == SECTION_SHARED;
    bool empty = true;
    for (size_t first = 0, next; first < breakdown->leaves.count; first = next) {
        struct memory_bytes label_sum = {0};
        next = breakdown_label_end(breakdown, first, &label_sum);
        const struct breakdown_leaf *leaf = &breakdown->leaves.items[first];
        if (leaf->section != section ||
            (label_sum.rss + label_sum.swap == 0 && section != SECTION_RUNTIME))
            continue;
        if (empty)
            fprintf(out, "\n%s:\n", breakdown_section_title(breakdown, section));
        empty = false;
        char label[128];
        snprintf(label, sizeof(label), "%.90s%s", leaf->label,
                 leaf->evidence == EVIDENCE_SHAPE ? " (probable)" : "");
        put_label(out, breakdown, label, &label_sum, is_name);
        put_items(out, breakdown, first, next);
    }
    if (!empty)
        put_line(out, breakdown, "Subtotal:", &sum, false);
}

static void put_total(FILE *out, const char *label, int64_t bytes, const char *remark)
{
    if (bytes < 0)
        fprintf(out, "%s %10s%s%s\n", label, "-", remark[0] ? "     " : "", remark);
    else
        fprintf(out, "%s %10" PRIu64 " MB  (%" PRIu64 " kB%s%s)\n", label, mib((uint64_t)bytes),
                kib((uint64_t)bytes), remark[0] ? ", " : "", remark);
}

static void put_if_any(FILE *out, const char *label, uint64_t bytes, const char *remark)
{
    if (bytes > 0)
        put_total(out, label, (int64_t)bytes, remark);
}

/* The sum against the kernel's own counter, which is another thing: pages come and go while we look. */
static void put_reconciled(FILE *out, const struct breakdown *breakdown)
{
    int64_t const walked = (int64_t)breakdown->total.rss;
    int64_t const before = breakdown->rss_before, after = breakdown->rss_after;
    if (before < 0 || after < 0)
        return;
    fprintf(out,
            "Sum of all parts: %" PRIu64 " kB; the kernel's VmRSS: %" PRId64 " kB before, %" PRId64
            " kB after\n",
            kib(breakdown->total.rss), before / 1024, after / 1024);
    int64_t const changed =
        walked < before && walked < after   ? walked - (before < after ? before : after)
        : walked > before && walked > after ? walked - (before > after ? before : after)
                                            : 0;
    if (before != after || changed)
        fprintf(out,
                "Changed during capture: %+" PRId64 " kB (VmRSS), %+" PRId64
                " kB (sum against VmRSS before)\n",
                (after - before) / 1024, (walked - before) / 1024);
}

static void put_totals(FILE *out, const struct breakdown *breakdown)
{
    const struct memory_bytes *total = &breakdown->total;
    bool const exact = breakdown->source == BREAKDOWN_SMAPS;
    fprintf(out, "\n=== Totals ===\n");
    put_total(out, "Virtual Memory:", (int64_t)total->size, "");
    put_total(out, "RSS (Resident):", (int64_t)total->rss, "");
    put_total(out, "PSS (Proportional):", exact ? (int64_t)total->pss : -1,
              exact ? "" : "not counted in a gentle walk");
    if (exact) {
        put_total(out, "Private (USS):  ", (int64_t)memory_bytes_private(total),
                  "what its end would free");
        put_total(out, "Shared:         ", (int64_t)memory_bytes_shared(total), "");
    }
    put_total(out, "Swap:           ", (int64_t)total->swap, "");
    put_if_any(out, "Huge pages:     ", total->huge, "transparent, in RSS");
    put_if_any(out, "Hugetlb:        ", total->shared_hugetlb + total->private_hugetlb,
               "outside RSS");
    put_if_any(out, "Lazily freed:   ", total->lazy_free, "in RSS until the kernel wants it");
    put_if_any(out, "Locked:         ", total->locked, "");
    if (breakdown->page_tables >= 0)
        put_if_any(out, "Page tables:    ", (uint64_t)breakdown->page_tables,
                   "the kernel's, outside RSS");
    if (breakdown->rss_peak >= 0)
        put_total(out, "Peak RSS:       ", breakdown->rss_peak, "VmHWM");
    put_reconciled(out, breakdown);
}

static void put_head(FILE *out, const struct breakdown *breakdown)
{
    char took[HUMAN_MAX], when[40];
    time_t const seconds = (time_t)(breakdown->time_unix_ns / 1000000000u);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
    fputs("=== Complete Memory Breakdown ===\n", out);
    text_write(out, breakdown->name, 60);
    fprintf(out, ", pid %u, %u thread%s, %zu mappings, %s; %s in %s\n", breakdown->pid,
            breakdown->threads, breakdown->threads == 1 ? "" : "s", breakdown->regions.count, when,
            breakdown->source == BREAKDOWN_SMAPS ? "smaps read" : "pages walked gently",
            human_duration(breakdown->capture_ns, took));
    vec_each (note, &breakdown->notes) {
        fputs("Note: ", out);
        text_write(out, *note, 400);
        fputc('\n', out);
    }
    fprintf(out, "%*s %12s %12s %12s %11s\n", LEFT_COLUMNS, "", "RSS kB", "PSS kB", "private kB",
            "swap kB");
}

void breakdown_text_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                          FILE *out)
{
    put_head(out, breakdown);
    for (int section = 0; section < SECTIONS; section++)
        put_section(out, breakdown, (enum breakdown_section)section);
    put_totals(out, breakdown);
    breakdown_insides_write(breakdown, out);
    breakdown_cgroup_write(breakdown, out);
    breakdown_regions_write(breakdown, view, out);
}
