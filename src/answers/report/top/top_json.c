/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/json_report.h"
#include "report/top/top_page.h"

static void write_now(struct json_out *json, const struct top_view *view)
{
    const struct totals *heap = &view->recording->heap;
    json_measured_field(json, "rss_bytes", view->rss_bytes);
    json_int_field(json, "heap_bytes", view->heap_bytes);
    json_int_field(json, "heap_blocks", view->heap_blocks);
    json_uint_field(json, "peak_bytes", heap->peak_bytes);
    json_uint_field(json, "peak_time_ns", heap->peak_time_ns);
    json_uint_field(json, "lost_events", view->recording->quality.lost_events);
    json_uint_field(json, "sample_rate_bytes", view->recording->quality.sample_rate);
    json_key(json, "per_second");
    json_object_begin_inline(json);
    json_real_field(json, "seconds", view->pace.seconds);
    json_real_field(json, "calls", view->pace.calls);
    json_real_field(json, "bytes", view->pace.bytes);
    json_real_field(json, "frees", view->pace.frees);
    json_real_field(json, "freed_bytes", view->pace.freed_bytes);
    json_object_end(json);
}

static void write_row(struct json_out *json, const struct top_view *view,
                      const struct live_row *row)
{
    const struct recording *recording = view->recording;
    json_object_begin_inline(json);
    json_int_field(json, "value", row->value);
    json_int_field(json, "growth", row->growth);
    json_int_field(json, "count", row->count);
    json_text_field(json, "function", recording_text(recording, row->site->function));
    json_text_field(json, "module", recording_text(recording, row->site->module));
    json_text_field(json, "file", recording_text(recording, row->site->file));
    json_uint_field(json, "line", row->site->line);
    json_object_end(json);
}

int top_json_write(const struct top_view *view, size_t rows, FILE *out)
{
    const struct live_question *question = &view->question;
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_bool_field(&json, "recorded", true);
    json_recording_write(&json, view->recording);
    write_now(&json, view);
    json_text_field(&json, "metric", question->metric->name);
    json_text_field(&json, "unit", question->metric->unit);
    json_text_field(&json, "by", top_grouping_name(question->by));
    json_text_field(&json, "sort", top_order_names[question->order]);
    json_text_field(&json, "filter", view->filter_text);
    json_uint_field(&json, "time_ns", running_time(view->running));
    json_uint_field(&json, "growth_since_ns", running_mark_time(view->running));
    json_int_field(&json, "total", view->live.whole_value);
    json_int_field(&json, "matched", view->live.value);
    json_int_field(&json, "growth", view->live.growth);
    json_key(&json, "rows");
    json_array_begin(&json);
    for (size_t i = 0; i < view->live.rows.count && i < rows; i++)
        write_row(&json, view, &view->live.rows.items[i]);
    json_array_end(&json);
    json_object_end(&json);
    return json_finish(&json);
}
