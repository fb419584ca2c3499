/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json_out.h"
#include "cluster/ram/ram_report.h"
#include "report/text/growth_text.h"

static void put_value(struct json_out *json, const char *key, int64_t value)
{
    json_int_field_if(json, key, value != RAM_NONE, value);
}

static void put_functions(struct json_out *json, const struct growers *growers, size_t top,
                          bool is_all)
{
    char stamp[RUN_STAMP_MAX];
    json_object_begin(json);
    json_text_field(json, "from", run_stamp_text(growers->from_us, 0, stamp));
    json_text_field(json, "to", run_stamp_text(growers->to_us, 0, stamp));
    json_int_field(json, "before", growers->before);
    json_int_field(json, "after", growers->after);
    json_key(json, "functions");
    json_array_begin(json);
    size_t shown = 0;
    vec_each (row, &growers->rows) {
        if (shown++ == top)
            break;
        json_object_begin_inline(json);
        json_text_field(json, "function", string_table_text(growers->names, row->function));
        json_int_field(json, "flat", row->flat);
        json_int_field(json, "cumulative", row->cumulative);
        if (is_all)
            json_uint_field(json, "nodes", row->nodes);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

static void put_summary(struct json_out *json, const struct ram *ram, size_t node, size_t column)
{
    struct ram_summary summary;
    ram_summarize(ram, node, (int64_t)column, &summary);
    json_key(json, ram->columns.items[column]);
    json_object_begin(json);
    json_uint_field(json, "points", summary.points);
    put_value(json, "first", summary.first);
    put_value(json, "last", summary.last);
    put_value(json, "max", summary.max);
    json_key(json, "growth");
    json_object_begin(json);
    growth_json_write(json, &summary.growth);
    json_object_end(json);
    json_object_end(json);
}

static void put_points(struct json_out *json, const struct ram *ram, size_t node)
{
    char stamp[RUN_STAMP_MAX];
    json_key(json, "points");
    json_array_begin(json);
    for (size_t row = 0; row < ram->stamps.count; row++) {
        json_object_begin_inline(json);
        json_text_field(json, "when", run_stamp_text(ram->stamps.items[row], 0, stamp));
        json_int_field(json, "unix_us", ram->stamps.items[row]);
        put_value(json, "round", ram_round(ram, node, row));
        for (size_t column = 0; column < ram->columns.count; column++)
            put_value(json, ram->columns.items[column], ram_value(ram, node, column, row));
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_node(struct json_out *json, const struct ram_report *report, size_t node)
{
    const struct ram *ram = report->ram;
    json_object_begin(json);
    run_node_write(json, ram_node(ram, node));
    json_key(json, "summary");
    json_object_begin(json);
    for (size_t column = 0; column < ram->columns.count; column++)
        put_summary(json, ram, node, column);
    json_object_end(json);
    put_points(json, ram, node);
    if (report->growth && report->growth->nodes[node].is_known) {
        json_key(json, "grown");
        put_functions(json, &report->growth->nodes[node], report->top, false);
    }
    json_object_end(json);
}

int ram_json_write(const struct ram_report *report, FILE *out)
{
    const struct ram *ram = report->ram;
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "run", ram->run->path);
    json_key(&json, "columns");
    json_array_begin_inline(&json);
    vec_each (column, &ram->columns)
        json_text(&json, *column);
    json_array_end(&json);
    json_uint_field(&json, "unread_profiles", ram->unread);
    json_key(&json, "nodes");
    json_array_begin(&json);
    for (size_t node = 0; node < ram->nodes.count; node++)
        put_node(&json, report, node);
    json_array_end(&json);
    if (report->growth && report->growth->all.is_known) {
        json_key(&json, "grown");
        put_functions(&json, &report->growth->all, report->top, true);
    }
    json_object_end(&json);
    return json_finish(&json);
}
