/* SPDX-License-Identifier: Apache-2.0 */
#include "report/breakdown/breakdown_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/human.h"
#include "report/text/text_style.h"

const char *breakdown_section_title(const struct breakdown *breakdown,
                                    enum breakdown_section section)
{
    switch (section) {
    case SECTION_RUNTIME:
        return breakdown->runtime_title ? breakdown->runtime_title : "Runtime";
    case SECTION_ALLOCATOR:
        return breakdown->allocator_title ? breakdown->allocator_title : "C Heap (malloc)";
    case SECTION_STACKS:
        return "Stacks";
    case SECTION_NAMED:
        return "Named Memory Regions (mmap)";
    case SECTION_FILE:
        return "File-Backed Memory";
    case SECTION_SHARED:
        return "Shared Memory";
    case SECTION_ANONYMOUS:
        return "Anonymous Memory";
    default:
        return breakdown->plain_title ? breakdown->plain_title : "Other";
    }
}

size_t breakdown_label_end(const struct breakdown *breakdown, size_t first,
                           struct memory_bytes *sum)
{
    const struct breakdown_leaf *leaves = breakdown->leaves.items;
    size_t next = first;
    for (; next < breakdown->leaves.count && leaves[next].section == leaves[first].section &&
           strcmp(leaves[next].label, leaves[first].label) == 0;
         next++)
        memory_bytes_add(sum, &leaves[next].bytes);
    return next;
}

const char *const breakdown_unit_names[] = {"MB", "B", "kB", "GB", NULL};
static const unsigned unit_shifts[] = {
    [UNIT_MIB] = 20, [UNIT_BYTES] = 0, [UNIT_KIB] = 10, [UNIT_GIB] = 30};

uint64_t breakdown_in_unit(const struct breakdown_view *view, uint64_t bytes)
{
    return bytes >> unit_shifts[view->unit];
}

const char *breakdown_unit_name(const struct breakdown_view *view)
{
    return breakdown_unit_names[view->unit];
}

/* ---- what runtimes say ---- */

static void put_inside(const struct inside_view *inside, FILE *out)
{
    fputs("\n=== Inside ", out);
    text_write(out, inside->runtime, 40);
    fputs(inside->version[0] ? " (" : "", out);
    text_write(out, inside->version, 40);
    fputs(inside->version[0] ? ") ===\n" : " ===\n", out);
    if (inside->trouble[0])
        fprintf(out, "%s\n", inside->trouble);
    if (inside->numbers.count)
        fprintf(out, "Its own numbers, from %s; part of the above, not added to it.\n",
                inside->source);
    vec_each (number, &inside->numbers) {
        fprintf(out, "  %-40.40s %10" PRIu64 " %-2s", number->text,
                number->is_count ? number->value : number->value >> 20,
                number->is_count ? "" : "MB");
        if (number->is_count)
            fprintf(out, " %12s", "");
        else
            fprintf(out, " %9" PRIu64 " kB", number->value >> 10);
        fprintf(out, "  %s\n", number->source);
    }
}

void breakdown_insides_write(const struct breakdown *breakdown, FILE *out)
{
    vec_each (inside, &breakdown->insides)
        put_inside(inside, out);
}

/* ---- the cgroup ---- */

static void put_figure(FILE *out, const char *label, int64_t bytes, const char *none)
{
    if (bytes >= 0)
        fprintf(out, "%-28s %10" PRId64 " MB  (%" PRId64 " kB)\n", label, bytes >> 20, bytes >> 10);
    else if (none)
        fprintf(out, "%-28s %10s\n", label, none);
}

void breakdown_cgroup_write(const struct breakdown *breakdown, FILE *out)
{
    const struct cgroup_memory *cgroup = &breakdown->cgroup;
    if (cgroup->version == 0)
        return;
    fprintf(out, "\n=== Its cgroup (v%u), which others may share ===\n", cgroup->version);
    text_write(out, cgroup->path, 200);
    fputc('\n', out);
    put_figure(out, "Working set:", cgroup->working_set, NULL);
    put_figure(out, "Current:", cgroup->current, NULL);
    put_figure(out, "Limit:", cgroup->limit, "none");
    put_figure(out, "Peak:", cgroup->peak, NULL);
    put_figure(out, "Anonymous:", cgroup->anon, NULL);
    put_figure(out, "Page cache:", cgroup->file, NULL);
    put_figure(out, "  of it inactive:", cgroup->inactive_file, NULL);
    put_figure(out, "  of it mapped:", cgroup->file_mapped, NULL);
    put_figure(out, "Kernel:", cgroup->kernel, NULL);
    put_figure(out, "Swap:", cgroup->swap, NULL);
}

/* ---- the largest mappings ---- */

struct region_order {
    const struct memory_region *regions;
    enum memory_figure figure;
};

static int by_figure(const void *left, const void *right, void *context)
{
    const struct region_order *order = context;
    uint32_t const a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    uint64_t const first = memory_figure_of(&order->regions[a].bytes, order->figure);
    uint64_t const second = memory_figure_of(&order->regions[b].bytes, order->figure);
    if (first != second)
        return first > second ? -1 : 1;
    return a < b ? -1 : a > b;
}

uint32_t *breakdown_largest(const struct breakdown *breakdown, const struct breakdown_view *view,
                            size_t *count)
{
    uint32_t *list = calloc(breakdown->regions.count ? breakdown->regions.count : 1, sizeof(*list));
    struct region_order order = {breakdown->regions.items, view->figure};
    *count = 0;
    if (!list)
        return NULL;
    for (uint32_t i = 0; i < breakdown->regions.count; i++) {
        uint64_t const value = memory_figure_of(&breakdown->regions.items[i].bytes, view->figure);
        if (value > 0 && value >= view->min_bytes)
            list[(*count)++] = i;
    }
    qsort_r(list, *count, sizeof(*list), by_figure, &order);
    if (!view->all && *count > view->top)
        *count = view->top;
    return list;
}

/* The kernel's name, or what is known of a nameless one. */
static void put_name(const struct breakdown *breakdown, uint32_t number, FILE *out)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    const struct breakdown_leaf *leaf =
        &breakdown->leaves.items[breakdown->region_leaves.items[number]];
    char name[256];
    if (region->name[0])
        snprintf(name, sizeof(name), "%s", region->name);
    else if (leaf->section == SECTION_ANONYMOUS)
        snprintf(name, sizeof(name), "[anonymous]");
    else
        snprintf(name, sizeof(name), "[%s%s%s]", leaf->label, leaf->item[0] ? ": " : "",
                 leaf->item);
    text_write(out, name, 60);
    fputc('\n', out);
}

void breakdown_regions_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                             FILE *out)
{
    size_t count;
    uint32_t *list = breakdown_largest(breakdown, view, &count);
    if (view->all)
        fprintf(out, "\n=== All Memory Regions ===\n\n");
    else
        fprintf(out, "\n=== Top %zu Memory Regions ===\n\n", count);
    fprintf(out, "%-18s %-6s %-11s %-11s %-11s %11s  %s\n", "ADDRESS", "PERMS", "RSS", "PRIVATE",
            "SHARED", "RSS kB", "NAME");
    for (int i = 0; i < 120; i++)
        fputc('-', out);
    fputc('\n', out);
    for (size_t i = 0; list && i < count; i++) {
        const struct memory_region *region = &breakdown->regions.items[list[i]];
        char address[24] = "-";
        if (!view->without_addresses)
            snprintf(address, sizeof(address), "%" PRIx64, region->start);
        const char *unit = breakdown_unit_name(view);
        fprintf(out, "%-18s %-6s %8" PRIu64 " %s %8" PRIu64 " %s %8" PRIu64 " %s %11" PRIu64 "  ",
                address, region->rights, breakdown_in_unit(view, region->bytes.rss), unit,
                breakdown_in_unit(view, memory_bytes_private(&region->bytes)), unit,
                breakdown_in_unit(view, memory_bytes_shared(&region->bytes)), unit,
                region->bytes.rss >> 10);
        put_name(breakdown, list[i], out);
    }
    free(list);
}
