/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/map_json.h"

#include "analyze/memory/recorded_map.h"
#include "analyze/trees/shown_frame.h"
#include "report/breakdown/breakdown_parts.h"
#include "report/json/json_report.h"

/* Where it lies, and how far from the one before. */
static void put_place(struct json_out *json, const struct map_report *report,
                      const struct map_row *row)
{
    if (!report->without_addresses) {
        breakdown_json_address(json, "start", row->start);
        breakdown_json_address(json, "end", row->end);
    }
    json_key(json, "gap");
    if (report->without_addresses && row->gap)
        json_null(json);
    else
        json_uint(json, row->gap);
}

#define FRAMES_MOST 32

/* Who made it. */
static void put_stack(struct json_out *json, const struct map_report *report,
                      const struct map_row *row)
{
    struct shown_frame frames[FRAMES_MOST];
    stack_id const stack = report->recording && row->count == 1
                               ? recorded_map_stack(report->recording, row->start, row->end)
                               : STACK_EMPTY;
    size_t const count = stack ? stack_show(report->recording, stack, frames, FRAMES_MOST) : 0;
    if (count == 0)
        return;
    json_key(json, "stack");
    json_array_begin(json);
    for (size_t i = 0; i < count && i < FRAMES_MOST; i++)
        json_frame_write(json, report->recording, &frames[i]);
    json_array_end(json);
}

static void put_row(struct json_out *json, const struct map_report *report,
                    const struct map_row *row)
{
    const struct breakdown *breakdown = report->breakdown;
    const struct memory_region *region = &breakdown->regions.items[row->largest];
    json_object_begin(json);
    json_uint_field(json, "first", row->first);
    json_uint_field(json, "count", row->count);
    put_place(json, report, row);
    json_text_field(json, "rights", row->count == 1 ? region->rights : "");
    json_text_field(json, "name", row->count == 1 ? region->name : "");
    json_uint_field(json, "leaf", breakdown->region_leaves.items[row->largest]);
    put_stack(json, report, row);
    breakdown_json_bytes(json, breakdown, &row->bytes);
    json_object_end(json);
}

static void put_cells(struct json_out *json, const struct map_report *report)
{
    static const char *const names[] = {"resident", "swapped", "of_file"};
    const struct region_cells *cells = report->cells;
    if (!cells && !report->cells_trouble)
        return;
    json_key(json, "pages");
    json_object_begin(json);
    json_uint_field(json, "region", report->region);
    json_text_field(json, "trouble", cells ? NULL : report->cells_trouble);
    json_uint_field(json, "cell_bytes", cells ? cells->cell_bytes : 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_key(json, names[i]);
        json_array_begin(json);
        for (size_t at = 0; cells && at < cells->items.count; at++) {
            const struct region_cell *cell = &cells->items.items[at];
            uint64_t const values[] = {cell->resident, cell->swapped, cell->of_file};
            json_uint(json, values[i]);
        }
        json_array_end(json);
    }
    json_object_end(json);
}

int map_json_write(const struct map_report *report, FILE *out)
{
    const struct breakdown *breakdown = report->breakdown;
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    breakdown_json_process(&json, breakdown);
    breakdown_json_total(&json, breakdown);
    json_bool_field(&json, "has_addresses", !report->without_addresses);
    breakdown_json_sections(&json, breakdown);
    json_key(&json, "rows");
    json_array_begin(&json);
    vec_each (row, &report->rows->items)
        put_row(&json, report, row);
    json_array_end(&json);
    put_cells(&json, report);
    breakdown_json_notes(&json, breakdown);
    json_object_end(&json);
    return json_finish(&json);
}
