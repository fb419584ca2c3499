/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/json_report.h"
#include "report/rows/side_report.h"

struct side_writer {
    struct json_out json;
    const struct recording *recording;
    const struct side_by_side *sides;
};

static double share_of(int64_t value, int64_t whole)
{
    return whole ? (double)value / (double)whole : 0;
}

static void put_metrics(struct side_writer *writer)
{
    struct json_out *json = &writer->json;
    json_key(json, "metrics");
    json_array_begin(json);
    for (unsigned i = 0; i < writer->sides->question.count; i++) {
        const struct metric *metric = writer->sides->question.metrics[i];
        const struct side_column *column = &writer->sides->columns[i];
        json_object_begin_inline(json);
        json_text_field(json, "metric", metric->name);
        json_text_field(json, "unit", metric->unit);
        json_int_field(json, "value", column->whole_value);
        json_int_field(json, "count", column->whole_count);
        json_int_field(json, "matched_value", column->value);
        json_int_field(json, "matched_count", column->count);
        json_uint_field(json, "from_ns", column->used.from_ns);
        json_uint_field(json, "to_ns", column->used.to_ns);
        json_object_end(json);
    }
    json_array_end(json);
    json_key(json, "ratios");
    json_array_begin(json);
    for (unsigned i = 0; i + 1 < writer->sides->question.count; i++) {
        struct side_ratio const ratio = side_ratio_of(&writer->sides->question, i);
        json_object_begin_inline(json);
        json_text_field(json, "of", writer->sides->question.metrics[ratio.above]->name);
        json_text_field(json, "per", writer->sides->question.metrics[ratio.below]->name);
        json_text_field(json, "unit", ratio.unit);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_values(struct side_writer *writer, const struct side_value *values)
{
    struct json_out *json = &writer->json;
    json_key(json, "values");
    json_array_begin(json);
    for (unsigned i = 0; i < writer->sides->question.count; i++) {
        json_object_begin_inline(json);
        json_int_field(json, "value", values[i].self_value);
        json_int_field(json, "count", values[i].self_count);
        json_int_field(json, "total_value", values[i].total_value);
        json_int_field(json, "total_count", values[i].total_count);
        json_real_field(json, "total_share",
                        share_of(values[i].total_value, writer->sides->columns[i].whole_value));
        json_object_end(json);
    }
    json_array_end(json);
    json_key(json, "ratios");
    json_array_begin_inline(json);
    for (unsigned i = 0; i + 1 < writer->sides->question.count; i++) {
        struct side_ratio const ratio = side_ratio_of(&writer->sides->question, i);
        double const value = side_ratio_value(&ratio, values);
        json_real(json, value);
    }
    json_array_end(json);
}

static void put_row(void *context, const struct side_row *row)
{
    struct side_writer *writer = context;
    struct json_out *json = &writer->json;
    json_object_begin(json);
    if (writer->sides->question.by == BY_THREAD) {
        const struct thread *thread = row->thread < writer->recording->threads.count
                                          ? &writer->recording->threads.items[row->thread]
                                          : NULL;
        json_uint_field(json, "tid", thread ? thread->tid : 0);
        json_text_field(json, "name",
                        thread ? recording_text(writer->recording, thread->name) : "");
    } else {
        struct shown_frame const frame = {row->function, row->module, row->file, row->line, false};
        json_key(json, "frame");
        if (row->function)
            json_frame_write(json, writer->recording, &frame);
        else
            json_null(json);
    }
    put_values(writer, row->values);
    json_object_end(json);
}

/* Nodes as a list, parents before children: depth has no bound, and JSON readers have. */
static void put_tree(struct side_writer *writer, const struct side_view *view)
{
    struct json_out *json = &writer->json;
    double const share = view->threshold_given ? view->threshold : 0;
    json_key(json, "tree");
    json_array_begin(json);
    for (uint32_t i = 0; i < writer->sides->tree.count; i++) {
        const struct side_node *node = &writer->sides->tree.items[i];
        if (i > 0 && side_is_small(writer->sides, node->values, share))
            continue;
        json_object_begin(json);
        json_uint_field(json, "id", i);
        json_uint_field_if(json, "parent", i != 0, node->parent);
        json_text_field(json, "function",
                        i ? recording_text(writer->recording, node->function) : "all");
        json_text_field(json, "module", recording_text(writer->recording, node->module));
        put_values(writer, node->values);
        json_object_end(json);
    }
    json_array_end(json);
}

int side_json_write(const struct recording *recording, const struct side_by_side *sides,
                    const struct side_view *view, FILE *out)
{
    static const char *const names[] = {
        [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
        [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase"};
    struct side_writer writer = {.recording = recording, .sides = sides};
    struct json_out *json = &writer.json;
    json_init(json, out, true);
    json_object_begin(json);
    json_recording_write(json, recording);
    json_text_field(json, "by", names[sides->question.by]);
    json_text_field(json, "filter", view->filter);
    put_metrics(&writer);
    if (view->top_down) {
        put_tree(&writer, view);
    } else {
        json_key(json, "rows");
        json_array_begin(json);
        side_each_row(sides, view, SIDE_NO_TOP, put_row, &writer);
        json_array_end(json);
    }
    json_object_end(json);
    return json_finish(json);
}
