/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/timeline_json.h"

#include <string.h>

#include "base/json_list.h"

static void write_gauge(struct json_out *json, int64_t value)
{
    json_int_if(json, value >= 0, value); /* below zero: was not measured */
}

/* One list per curve, in order of the columns: what draws them wants it so. */
static void write_columns(struct json_out *json, const struct plot_data *data)
{
    static const char *const names[] = {"begin_ns",      "end_ns",    "rss",
                                        "pss",           "heap_live", "heap_live_max",
                                        "heap_live_min", "allocated", "allocated_calls",
                                        "lost_events"};
    json_key(json, "columns");
    json_object_begin(json);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        json_key(json, names[i]);
        json_array_begin(json);
        vec_each (column, &data->columns) {
            int64_t const values[] = {(int64_t)column->begin_ns,    (int64_t)column->end_ns,
                                      column->gauges.rss_bytes,     column->pss_bytes,
                                      column->gauges.heap_live_end, column->gauges.heap_live_max,
                                      column->gauges.heap_live_min, column->allocated_bytes,
                                      column->allocated_calls,      (int64_t)column->lost_events};
            write_gauge(json, values[i]);
        }
        json_array_end(json);
    }
    json_object_end(json);
}

static void write_sites(struct json_out *json, const struct recording *recording,
                        const struct plot_data *data)
{
    json_key(json, "sites");
    json_array_begin(json);
    for (unsigned site = 0; site <= data->site_count; site++) {
        json_object_begin(json);
        if (site < data->site_count)
            json_text_field(json, "function",
                            recording_text(recording, data->sites[site].function));
        else
            json_text_field(json, "function", NULL); /* all others */
        json_list_write(json, "values", &data->instants, json_int, values[site]);
        json_object_end(json);
    }
    json_array_end(json);
    json_list_write(json, "instants_ns", &data->instants, json_uint, time_ns);
}

static void write_lanes(struct json_out *json, const struct plot_data *data)
{
    json_key(json, "lanes");
    json_array_begin(json);
    for (size_t lane = 0; lane < PLOT_LANES; lane++) {
        const struct metric *metric = metric_find(plot_lanes[lane]);
        if (!data->has_lane[lane])
            continue;
        json_object_begin(json);
        json_text_field(json, "metric", metric->name);
        json_text_field(json, "unit", metric->unit);
        json_bool_field(json, "is_rate", metric->kind == METRIC_COUNTER);
        json_key(json, "values");
        json_array_begin(json);
        vec_each (column, &data->columns)
            json_int_if(json, column->lanes[lane] != PLOT_UNKNOWN, column->lanes[lane]);
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_deaths(struct json_out *json, const struct recording *recording)
{
    vec_each (pin, &recording->pins) {
        const char *label = recording_text(recording, pin->label);
        if (pin->kind != PIN_DEATH)
            continue;
        json_object_begin_inline(json);
        json_text_field(json, "kind", "death");
        json_text_field(json, "label", *label ? label : "the program died");
        json_uint_field(json, "time_ns", pin->time_ns);
        json_object_end(json);
    }
}

static const char *kind_of(const struct mark *mark, const char *label)
{
    if (mark->kind == MARK_BEGIN)
        return "phase";
    return mark_is_of_alert(label) ? "alert" : "mark";
}

static void write_marks(struct json_out *json, const struct recording *recording)
{
    const struct mark_list *marks = &recording->marks;
    json_key(json, "marks");
    json_array_begin(json);
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        struct mark_span const span = marks_span(marks, i, recording->duration_ns);
        if (mark->kind == MARK_END)
            continue;
        json_object_begin_inline(json);
        const char *label = recording_text(recording, mark->label);
        json_text_field(json, "kind", kind_of(mark, label));
        json_text_field(json, "label", label);
        json_uint_field(json, "time_ns", mark->time_ns);
        if (mark->kind == MARK_BEGIN) {
            json_uint_field(json, "end_ns", span.to_ns);
            json_bool_field(json, "is_open", span.is_open);
        }
        json_object_end(json);
    }
    write_deaths(json, recording);
    json_array_end(json);
}

int timeline_json_write(const struct recording *recording, const struct plot_data *data, FILE *out)
{
    struct json_out json;
    json_init(&json, out, false);
    json_object_begin(&json);
    json_text_field(&json, "metric", data->metric->name);
    json_text_field(&json, "unit", data->metric->unit);
    json_bool_field(&json, "is_rate", data->is_rate);
    json_uint_field(&json, "from_ns", data->range.from_ns);
    json_uint_field(&json, "to_ns", data->range.to_ns);
    json_uint_field(&json, "start_unix_ns", recording->start_unix_ns);
    json_bool_field(&json, "being_written", recording->being_written);
    write_columns(&json, data);
    write_lanes(&json, data);
    write_sites(&json, recording, data);
    write_marks(&json, recording);
    json_object_end(&json);
    return json_finish(&json);
}
