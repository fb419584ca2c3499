/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/sandwich_json.h"

#include "report/json/json_report.h"

/* Those right beside the function; what it has itself, or from nobody, is a row without a frame,
 * so that rows add up. */
static void put_neighbours(struct json_out *json, const char *key,
                           const struct sandwich_report *report, const struct call_tree *tree)
{
    const struct call_node *nodes = tree->nodes.items;
    json_key(json, key);
    json_array_begin(json);
    for (uint32_t at = nodes[0].first_child; at; at = nodes[at].next_sibling) {
        struct shown_frame const frame = {nodes[at].function, nodes[at].module, nodes[at].file,
                                          nodes[at].line, nodes[at].inlined};
        json_object_begin_inline(json);
        json_key(json, "frame");
        json_frame_write(json, report->recording, &frame);
        json_int_field(json, "value", nodes[at].value);
        json_int_field(json, "count", nodes[at].count);
        json_object_end(json);
    }
    if (nodes[0].self_value || nodes[0].self_count) {
        json_object_begin_inline(json);
        json_key(json, "frame");
        json_null(json);
        json_int_field(json, "value", nodes[0].self_value);
        json_int_field(json, "count", nodes[0].self_count);
        json_object_end(json);
    }
    json_array_end(json);
}

int sandwich_json_write(const struct sandwich_report *report, FILE *out)
{
    struct json_out json;
    const struct rank_row *row = report->row;
    const struct weights *weights = report->weights;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_text_field(&json, "function", recording_text(report->recording, row->function));
    json_text_field(&json, "module", recording_text(report->recording, row->module));
    json_uint_field(&json, "alike", report->alike);
    json_text_field(&json, "metric", weights->metric->name);
    json_text_field(&json, "unit", weights->metric->unit);
    json_sum_write(&json, "whole", weights->total_value, weights->total_count);
    json_sum_write(&json, "total", row->total_value, row->total_count);
    json_sum_write(&json, "self", row->self_value, row->self_count);
    json_sum_write(&json, "again", report->sandwich->again_value, report->sandwich->again_count);
    put_neighbours(&json, "callers", report, &report->sandwich->callers);
    put_neighbours(&json, "callees", report, &report->sandwich->callees);
    json_key(&json, "flame");
    json_raw(&json, report->flame->data, report->flame->size);
    json_object_end(&json);
    return json_finish(&json);
}
