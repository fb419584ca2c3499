/* SPDX-License-Identifier: Apache-2.0 */
/* breakdown_text.c - the layout is that of other tools, whose output people search with grep.  What
 * that layout has no place for stands behind or below it. */
#include "report/breakdown/breakdown_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/human.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/text/text_style.h"

#define LEFT_COLUMNS 56
#define ITEMS_MAX    20u /* lines under one label */

struct breakdown_page {
    FILE *out;
    const struct breakdown *breakdown;
    const struct breakdown_view *view;
};

static uint64_t kib(uint64_t bytes)
{
    return bytes >> 10;
}

static void put_exact(const struct breakdown_page *page, const struct memory_bytes *bytes)
{
    if (page->breakdown->source == BREAKDOWN_PAGEMAP)
        fprintf(page->out, " %12" PRIu64 " %12s %12s %11" PRIu64 " %13" PRIu64 "\n",
                kib(bytes->rss), "-", "-", kib(bytes->swap), kib(bytes->size));
    else
        fprintf(page->out,
                " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %11" PRIu64 " %13" PRIu64 "\n",
                kib(bytes->rss), kib(bytes->pss), kib(memory_bytes_private(bytes)),
                kib(bytes->swap), kib(bytes->size));
}

/* "  Heap:  " for short labels, as many columns as a name takes for long ones; then MB, then the
 * rest. */
static void put_line(const struct breakdown_page *page, const char *label,
                     const struct memory_bytes *bytes, bool is_name)
{
    char line[128];
    uint64_t const value = breakdown_in_unit(page->view, bytes->rss);
    const char *unit = breakdown_unit_name(page->view);
    int const left =
        is_name || strlen(label) > 14
            ? snprintf(line, sizeof(line), "  %-40.*s %10" PRIu64 " %s", 40, label, value, unit)
            : snprintf(line, sizeof(line), "  %-14s%10" PRIu64 " %s", label, value, unit);
    size_t const columns = text_write(page->out, line, (size_t)left);
    fprintf(page->out, "%*s", columns < LEFT_COLUMNS ? (int)(LEFT_COLUMNS - columns) : 0, "");
    put_exact(page, bytes);
}

static void put_label(const struct breakdown_page *page, const char *label,
                      const struct memory_bytes *bytes, bool is_name)
{
    char with_colon[128];
    snprintf(with_colon, sizeof(with_colon), "%.100s%s", label, is_name ? "" : ":");
    put_line(page, with_colon, bytes, is_name);
}

static bool is_small(const struct breakdown_page *page, const struct memory_bytes *bytes)
{
    return memory_figure_of(bytes, page->view->figure) < page->view->min_bytes;
}

/* A label with several items, or with one that says more than the label: the items under it. */
static void put_items(const struct breakdown_page *page, size_t first, size_t next)
{
    const struct breakdown *breakdown = page->breakdown;
    struct memory_bytes rest = {0};
    size_t shown = 0, left = 0;
    for (size_t i = first; i < next; i++) {
        const struct breakdown_leaf *leaf = &breakdown->leaves.items[i];
        char name[64];
        if (!leaf->item[0])
            continue;
        if (shown >= ITEMS_MAX || leaf->bytes.rss + leaf->bytes.swap == 0 ||
            is_small(page, &leaf->bytes)) {
            memory_bytes_add(&rest, &leaf->bytes);
            left++;
            continue;
        }
        snprintf(name, sizeof(name), "  %.36s", leaf->item);
        put_line(page, name, &leaf->bytes, true);
        shown++;
    }
    if (left && rest.rss) {
        char name[64];
        snprintf(name, sizeof(name), "  %zu more", left);
        put_line(page, name, &rest, true);
    }
}

/* What --min leaves out is still in the sum, so it has a line. */
static void put_small(const struct breakdown_page *page, enum breakdown_section section,
                      const struct memory_bytes *sum, unsigned count, bool is_first)
{
    char label[64];
    if (is_first)
        fprintf(page->out, "\n%s:\n", breakdown_section_title(page->breakdown, section));
    snprintf(label, sizeof(label), "%u smaller", count);
    put_label(page, label, sum, true);
}

static void put_section(const struct breakdown_page *page, enum breakdown_section section)
{
    const struct breakdown *breakdown = page->breakdown;
    FILE *out = page->out;
    struct memory_bytes const sum = breakdown_section_sum(breakdown, section);
    struct memory_bytes small = {0};
    bool const is_name = section == SECTION_NAMED || section == SECTION_FILE ||
                         section == SECTION_SHARED || breakdown->plain_title;
    unsigned small_count = 0;
    bool empty = true;
    for (size_t first = 0, next; first < breakdown->leaves.count; first = next) {
        struct memory_bytes label_sum = {0};
        next = breakdown_label_end(breakdown, first, &label_sum);
        const struct breakdown_leaf *leaf = &breakdown->leaves.items[first];
        if (leaf->section != section ||
            (label_sum.rss + label_sum.swap == 0 && section != SECTION_RUNTIME))
            continue;
        if (is_small(page, &label_sum)) {
            memory_bytes_add(&small, &label_sum);
            small_count++;
            continue;
        }
        if (empty)
            fprintf(out, "\n%s:\n", breakdown_section_title(breakdown, section));
        empty = false;
        char label[128];
        snprintf(label, sizeof(label), "%.90s%s", leaf->label,
                 leaf->evidence == EVIDENCE_SHAPE ? " (probable)" : "");
        put_label(page, label, &label_sum, is_name);
        put_items(page, first, next);
    }
    if (small_count)
        put_small(page, section, &small, small_count, empty);
    if (!empty || small_count)
        put_line(page, "Subtotal:", &sum, false);
}

static void put_total(const struct breakdown_page *page, const char *label, int64_t bytes,
                      const char *remark)
{
    FILE *out = page->out;
    if (bytes < 0)
        fprintf(out, "%s %10s%s%s\n", label, "-", remark[0] ? "     " : "", remark);
    else
        fprintf(out, "%s %10" PRIu64 " %s  (%" PRIu64 " kB%s%s)\n", label,
                breakdown_in_unit(page->view, (uint64_t)bytes), breakdown_unit_name(page->view),
                kib((uint64_t)bytes), remark[0] ? ", " : "", remark);
}

static void put_if_any(const struct breakdown_page *page, const char *label, uint64_t bytes,
                       const char *remark)
{
    if (bytes > 0)
        put_total(page, label, (int64_t)bytes, remark);
}

/* The sum against the kernel's own counter, which is another thing: pages come and go while we
 * look. */
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

static void put_totals(const struct breakdown_page *page)
{
    const struct breakdown *breakdown = page->breakdown;
    const struct memory_bytes *total = &breakdown->total;
    bool const exact = breakdown->source == BREAKDOWN_SMAPS;
    fprintf(page->out, "\n=== Totals ===\n");
    put_total(page, "Virtual Memory:", (int64_t)total->size, "");
    put_total(page, "RSS (Resident):", (int64_t)total->rss, "");
    put_total(page, "PSS (Proportional):", exact ? (int64_t)total->pss : -1,
              exact ? "" : "not counted in a gentle walk");
    if (exact) {
        put_total(page, "Private (USS):  ", (int64_t)memory_bytes_private(total),
                  "what its end would free");
        put_total(page, "Shared:         ", (int64_t)memory_bytes_shared(total), "");
    }
    put_total(page, "Swap:           ", (int64_t)total->swap, "");
    put_if_any(page, "Huge pages:     ", total->huge, "transparent, in RSS");
    put_if_any(page, "Hugetlb:        ", total->shared_hugetlb + total->private_hugetlb,
               "outside RSS");
    put_if_any(page, "Lazily freed:   ", total->lazy_free, "in RSS until the kernel wants it");
    put_if_any(page, "Locked:         ", total->locked, "");
    if (breakdown->page_tables >= 0)
        put_if_any(page, "Page tables:    ", (uint64_t)breakdown->page_tables,
                   "the kernel's, outside RSS");
    if (breakdown->rss_peak >= 0)
        put_total(page, "Peak RSS:       ", breakdown->rss_peak, "VmHWM");
    put_reconciled(page->out, breakdown);
}

static void put_head(FILE *out, const struct breakdown *breakdown)
{
    char took[HUMAN_MAX], when[40];
    time_t const seconds = (time_t)(breakdown->time_unix_ns / NS_PER_SECOND);
    struct tm local;
    localtime_r(&seconds, &local);
    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
    fputs("=== Complete Memory Breakdown ===\n", out);
    text_write(out, breakdown->name, 60);
    fprintf(out, ", pid %u, %u thread%s, %" PRIu64 " mappings, %s; %s in %s\n", breakdown->pid,
            breakdown->threads, breakdown->threads == 1 ? "" : "s",
            breakdown_region_count(breakdown), when,
            breakdown->source == BREAKDOWN_SMAPS ? "smaps read" : "pages walked gently",
            human_duration(breakdown->capture_ns, took));
    vec_each (note, &breakdown->notes) {
        fputs("Note: ", out);
        text_write(out, *note, 400);
        fputc('\n', out);
    }
    fprintf(out, "%*s %12s %12s %12s %11s %13s\n", LEFT_COLUMNS, "", "RSS kB", "PSS kB",
            "private kB", "swap kB", "virtual kB");
}

void breakdown_text_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                          FILE *out)
{
    struct breakdown_page const page = {out, breakdown, view};
    put_head(out, breakdown);
    for (int section = 0; section < SECTIONS; section++)
        put_section(&page, (enum breakdown_section)section);
    put_totals(&page);
    breakdown_insides_write(breakdown, out);
    breakdown_cgroup_write(breakdown, out);
    breakdown_regions_write(breakdown, view, out);
}
