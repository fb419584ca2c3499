/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/csv_out.h"
#include "base/json_out.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/breakdown/breakdown_report.h"
#include "report/json/json_report.h"

/* What a walk over pages cannot tell is left out, not zero. */
static bool is_known(const struct breakdown *breakdown, size_t field)
{
    size_t const rss = offsetof(struct memory_bytes, rss) / sizeof(uint64_t);
    size_t const huge = offsetof(struct memory_bytes, huge) / sizeof(uint64_t);
    size_t const swap = offsetof(struct memory_bytes, swap) / sizeof(uint64_t);
    bool const is_walked = breakdown->source == BREAKDOWN_PAGEMAP;
    return breakdown->source == BREAKDOWN_SMAPS || field == 0 || field == rss ||
           (is_walked && (field == huge || field == swap));
}

void breakdown_json_bytes(struct json_out *json, const struct breakdown *breakdown,
                          const struct memory_bytes *bytes)
{
    const uint64_t *values = &bytes->size;
    json_key(json, "bytes");
    json_object_begin_inline(json);
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++)
        if (is_known(breakdown, i))
            json_uint_field(json, memory_bytes_names[i], values[i]);
    json_object_end(json);
}

void breakdown_json_process(struct json_out *json, const struct breakdown *breakdown)
{
    static const char *const sources[] = {[BREAKDOWN_SMAPS] = "smaps",
                                          [BREAKDOWN_PAGEMAP] = "pagemap",
                                          [BREAKDOWN_RECORDING] = "recording"};
    json_key(json, "process");
    json_object_begin(json);
    json_uint_field(json, "pid", breakdown->pid);
    json_text_field(json, "name", breakdown->name);
    json_text_field(json, "program", breakdown->program);
    json_uint_field(json, "threads", breakdown->threads);
    json_object_end(json);
    json_key(json, "capture");
    json_object_begin(json);
    json_uint_field(json, "time_unix_ns", breakdown->time_unix_ns);
    json_uint_field(json, "took_ns", breakdown->capture_ns);
    json_uint_field(json, "predicted_ns", breakdown->predicted_ns);
    json_text_field(json, "source", sources[breakdown->source]);
    json_uint_field(json, "read_bytes", breakdown->read_bytes);
    json_measured_field(json, "rss_before", breakdown->rss_before);
    json_measured_field(json, "rss_after", breakdown->rss_after);
    json_int_field(
        json, "sum_less_rss_before",
        breakdown->rss_before < 0 ? 0 : (int64_t)breakdown->total.rss - breakdown->rss_before);
    json_object_end(json);
    json_key(json, "status");
    json_object_begin(json);
    json_measured_field(json, "rss_anon", breakdown->rss_anon);
    json_measured_field(json, "rss_file", breakdown->rss_file);
    json_measured_field(json, "rss_shmem", breakdown->rss_shmem);
    json_measured_field(json, "rss_peak", breakdown->rss_peak);
    json_measured_field(json, "page_tables", breakdown->page_tables);
    json_object_end(json);
}

void breakdown_json_sections(struct json_out *json, const struct breakdown *breakdown)
{
    json_key(json, "sections");
    json_array_begin(json);
    for (int section = 0; section < SECTIONS; section++) {
        struct memory_bytes const sum =
            breakdown_section_sum(breakdown, (enum breakdown_section)section);
        json_object_begin(json);
        json_text_field(json, "section", breakdown_section_key((enum breakdown_section)section));
        json_text_field(json, "title",
                        breakdown_section_title(breakdown, (enum breakdown_section)section));
        breakdown_json_bytes(json, breakdown, &sum);
        json_object_end(json);
    }
    json_array_end(json);
    json_key(json, "leaves");
    json_array_begin(json);
    vec_each (leaf, &breakdown->leaves) {
        json_object_begin(json);
        json_text_field(json, "section", breakdown_section_key(leaf->section));
        json_text_field(json, "label", leaf->label);
        json_text_field(json, "item", leaf->item);
        json_text_field(json, "evidence", breakdown_evidence_key(leaf->evidence));
        json_uint_field(json, "regions", leaf->regions);
        breakdown_json_bytes(json, breakdown, &leaf->bytes);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_insides(struct json_out *json, const struct breakdown *breakdown)
{
    json_key(json, "inside");
    json_array_begin(json);
    vec_each (inside, &breakdown->insides) {
        json_object_begin(json);
        json_text_field(json, "runtime", inside->runtime);
        json_text_field(json, "version", inside->version);
        json_text_field(json, "source", inside->source);
        json_text_field(json, "trouble", inside->trouble[0] ? inside->trouble : NULL);
        json_key(json, "numbers");
        json_array_begin(json);
        vec_each (number, &inside->numbers) {
            json_object_begin_inline(json);
            json_text_field(json, "name", number->name);
            json_uint_field(json, "value", number->value);
            json_text_field(json, "unit", number->is_count ? "count" : "bytes");
            json_text_field(json, "meaning", number->text);
            json_text_field(json, "source", number->source);
            json_object_end(json);
        }
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_cgroup(struct json_out *json, const struct cgroup_memory *cgroup)
{
    json_key(json, "cgroup");
    if (cgroup->version == 0) {
        json_null(json);
        return;
    }
    json_object_begin(json);
    json_uint_field(json, "version", cgroup->version);
    json_text_field(json, "path", cgroup->path);
    json_measured_field(json, "working_set", cgroup->working_set);
    json_measured_field(json, "current", cgroup->current);
    json_measured_field(json, "limit", cgroup->limit);
    json_measured_field(json, "high", cgroup->high);
    json_measured_field(json, "peak", cgroup->peak);
    json_measured_field(json, "anon", cgroup->anon);
    json_measured_field(json, "file", cgroup->file);
    json_measured_field(json, "file_mapped", cgroup->file_mapped);
    json_measured_field(json, "inactive_file", cgroup->inactive_file);
    json_measured_field(json, "shmem", cgroup->shmem);
    json_measured_field(json, "kernel", cgroup->kernel);
    json_measured_field(json, "slab", cgroup->slab);
    json_measured_field(json, "sock", cgroup->sock);
    json_measured_field(json, "page_tables", cgroup->page_tables);
    json_measured_field(json, "kernel_stack", cgroup->kernel_stack);
    json_measured_field(json, "swap", cgroup->swap);
    json_object_end(json);
}

void breakdown_json_address(struct json_out *json, const char *key, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    json_text_field(json, key, text);
}

static void put_regions(struct json_out *json, const struct breakdown *breakdown,
                        const struct breakdown_view *view)
{
    size_t count;
    uint32_t *list = breakdown_largest(breakdown, view, &count);
    json_key(json, "regions");
    json_array_begin(json);
    for (size_t i = 0; list && i < count; i++) {
        const struct memory_region *region = &breakdown->regions.items[list[i]];
        json_object_begin(json);
        if (!view->without_addresses) {
            breakdown_json_address(json, "start", region->start);
            breakdown_json_address(json, "end", region->end);
        }
        json_text_field(json, "rights", region->rights);
        json_text_field(json, "name", region->name);
        json_uint_field(json, "leaf", breakdown->region_leaves.items[list[i]]);
        breakdown_json_bytes(json, breakdown, &region->bytes);
        json_object_end(json);
    }
    json_array_end(json);
    free(list);
}

void breakdown_json_notes(struct json_out *json, const struct breakdown *breakdown)
{
    json_key(json, "notes");
    json_array_begin(json);
    vec_each (note, &breakdown->notes)
        json_text(json, *note);
    json_array_end(json);
}

void breakdown_json_total(struct json_out *json, const struct breakdown *breakdown)
{
    json_key(json, "total");
    json_object_begin(json);
    breakdown_json_bytes(json, breakdown, &breakdown->total);
    json_uint_field(json, "regions", breakdown_region_count(breakdown));
    json_object_end(json);
}

int breakdown_json_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "format", "memoir-map");
    json_int_field(&json, "version", 1);
    breakdown_json_process(&json, breakdown);
    breakdown_json_total(&json, breakdown);
    breakdown_json_sections(&json, breakdown);
    put_insides(&json, breakdown);
    put_cgroup(&json, &breakdown->cgroup);
    put_regions(&json, breakdown, view);
    breakdown_json_notes(&json, breakdown);
    json_object_end(&json);
    return json_finish(&json);
}

/* ---- CSV ---- */

static void put_csv_figures(struct csv_out *csv, const struct breakdown *breakdown,
                            const struct memory_bytes *bytes)
{
    const uint64_t *values = &bytes->size;
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++) {
        if (is_known(breakdown, i))
            csv_uint(csv, values[i]);
        else
            csv_empty(csv);
    }
    csv_end_row(csv);
}

static void put_csv_head(struct csv_out *csv, const char *first)
{
    csv_format(csv, "%s", first);
    for (size_t i = 0; i < MEMORY_BYTES_FIELDS; i++)
        csv_format(csv, "%s_bytes", memory_bytes_names[i]);
    csv_end_row(csv);
}

static void put_csv_leaf(struct csv_out *csv, const struct breakdown_leaf *leaf)
{
    csv_text(csv, breakdown_section_key(leaf->section));
    csv_text(csv, leaf->label);
    csv_text(csv, leaf->item);
}

static void put_csv_region(struct csv_out *csv, const struct memory_region *region,
                           bool without_addresses)
{
    if (without_addresses) {
        csv_empty(csv);
        csv_empty(csv);
    } else {
        csv_format(csv, "%" PRIx64, region->start);
        csv_format(csv, "%" PRIx64, region->end);
    }
    csv_text(csv, region->rights);
    csv_text(csv, region->name);
}

void breakdown_csv_write(const struct breakdown *breakdown, const struct breakdown_view *view,
                         FILE *out)
{
    struct csv_out csv;
    csv_init(&csv, out);
    if (!view->all) {
        put_csv_head(&csv, "section,label,item,evidence,regions");
        vec_each (leaf, &breakdown->leaves) {
            put_csv_leaf(&csv, leaf);
            csv_text(&csv, breakdown_evidence_key(leaf->evidence));
            csv_uint(&csv, leaf->regions);
            put_csv_figures(&csv, breakdown, &leaf->bytes);
        }
        return;
    }
    put_csv_head(&csv, "section,label,item,start,end,rights,name");
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        put_csv_leaf(&csv, &breakdown->leaves.items[breakdown->region_leaves.items[i]]);
        put_csv_region(&csv, region, view->without_addresses);
        put_csv_figures(&csv, breakdown, &region->bytes);
    }
}
