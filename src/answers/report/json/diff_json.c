/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "base/json_out.h"
#include "report/rows/diff_report.h"
#include "report/json/json_report.h"

static void write_side(struct json_out *json, const char *key, const char *name,
                       const struct diff_side *side)
{
    const struct recording *recording = side->recording;
    json_key(json, key);
    json_object_begin(json);
    json_text_field(json, "file", name);
    json_text_field(json, "program", recording_text(recording, recording->program));
    json_uint_field(json, "pid", recording->pid);
    json_uint_field(json, "duration_ns", recording->duration_ns);
    json_uint_field(json, "from_ns", side->weights->used.from_ns);
    json_uint_field(json, "to_ns", side->weights->used.to_ns);
    json_int_field(json, "value", side->weights->total_value);
    json_int_field(json, "count", side->weights->total_count);
    json_uint_field(json, "lost_events", recording->quality.lost_events);
    json_bool_field(json, "complete", recording->quality.complete);
    json_object_end(json);
}

static int write_row(struct json_out *json, const struct diff_view *view,
                     const struct diff_row *row)
{
    const struct diff *diff = view->diff;
    size_t count;
    struct shown_frame *frames = diff_row_frames(diff, row, &count);
    if (!frames)
        return -ENOMEM;
    json_object_begin(json);
    json_text_field(json, "kind", diff_kind_names[row->kind]);
    json_int_field(json, "change", row->after - row->before);
    json_int_field(json, "before", row->before);
    json_int_field(json, "after", row->after);
    json_int_field(json, "before_count", row->before_count);
    json_int_field(json, "after_count", row->after_count);
    json_int_field(json, "error", diff_row_error(view, row));
    json_bool_field(json, "may_be_chance", diff_row_is_chance(view, row));
    json_key(json, "stack");
    json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        json_frame_write(json, row->shown_by, &frames[i]);
    json_array_end(json);
    json_object_end(json);
    free(frames);
    return 0;
}

static void write_notes(struct json_out *json, const struct diff_view *view)
{
    char note[DIFF_NOTE_MAX];
    json_key(json, "notes");
    json_array_begin(json);
    if (diff_view_note(view, note))
        json_text(json, note);
    json_array_end(json);
}

static void write_sites(struct json_out *json, const struct diff *diff)
{
    json_key(json, "sites");
    json_object_begin(json);
    for (int kind = 0; kind < DIFF_KINDS; kind++)
        json_uint_field(json, diff_kind_names[kind], diff->kinds[kind]);
    json_uint_field(json, "unchanged", diff->unchanged);
    json_object_end(json);
}

int diff_json_write(const struct diff_view *view, FILE *out)
{
    const struct diff *diff = view->diff;
    const struct metric *metric = diff->after.weights->metric;
    static const char *const by[] = {
        [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
        [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase"};
    size_t shown = diff_view_rows(view);
    struct json_out json;
    int err = 0;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_text_field(&json, "metric", metric->name);
    json_text_field(&json, "unit", metric->unit);
    json_text_field(&json, "by", by[diff->by]);
    write_side(&json, "before", view->before_name, &diff->before);
    write_side(&json, "after", view->after_name, &diff->after);
    json_int_field(&json, "change",
                   diff->after.weights->total_value - diff->before.weights->total_value);
    if (view->noise)
        json_real_field(&json, "scale", view->noise->factor);
    write_notes(&json, view);
    write_sites(&json, diff);
    json_uint_field(&json, "rows_left_out", diff->rows.count - shown);
    json_key(&json, "rows");
    json_array_begin(&json);
    for (size_t i = 0; i < shown && err == 0; i++)
        err = write_row(&json, view, &diff->rows.items[i]);
    json_array_end(&json);
    json_object_end(&json);
    json_finish(&json); /* write errors stay in `out` */
    return err;
}
