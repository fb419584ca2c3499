/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/info.h"
#include "report/json/json_report.h"

static void write_file(struct json_out *json, const struct info *info)
{
    json_key(json, "file");
    json_object_begin(json);
    json_text_field(json, "path", info->path);
    json_uint_field(json, "bytes", info->file_bytes);
    json_object_end(json);
}

static void write_contents(struct json_out *json, const struct recording *recording)
{
    json_key(json, "contents");
    json_object_begin(json);
    json_uint_field(json, "stacks", stack_table_count(recording->stacks));
    json_uint_field(json, "frames", recording->frames.count);
    json_uint_field(json, "locations", recording->locations.count);
    json_uint_field(json, "strings", string_table_count(recording->strings));
    json_uint_field(json, "modules", recording->modules.count);
    json_uint_field(json, "threads", recording->threads.count);
    json_uint_field(json, "buckets", recording->buckets.count);
    json_uint_field(json, "pins", recording->pins.count);
    json_object_end(json);
}

static void write_ladder(struct json_out *json, const struct recording *recording)
{
    struct rung rungs[RUNGS_MAX];
    size_t const count = info_ladder(recording, rungs);
    json_key(json, "ladder");
    json_array_begin(json);
    for (size_t i = 0; i < count; i++) {
        json_object_begin_inline(json);
        json_uint_field(json, "bucket_ns", rungs[i].bucket_ns);
        json_uint_field(json, "buckets", rungs[i].buckets);
        json_uint_field(json, "from_ns", rungs[i].from_ns);
        json_uint_field(json, "to_ns", rungs[i].to_ns);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_pins(struct json_out *json, const struct recording *recording)
{
    static const char *const kinds[] = {[PIN_PEAK] = "peak",
                                        [PIN_DEATH] = "death",
                                        [PIN_MARK] = "mark",
                                        [PIN_END] = "end",
                                        [PIN_POOL_PEAK] = "pool_peak"};
    json_key(json, "pins");
    json_array_begin(json);
    for (size_t i = 0; i < recording->pins.count; i++) {
        const struct pin *pin = &recording->pins.items[i];
        bool const is_known = pin->kind >= PIN_PEAK && pin->kind <= PIN_POOL_PEAK;
        json_object_begin_inline(json);
        json_text_field(json, "kind", is_known ? kinds[pin->kind] : NULL);
        json_uint_field(json, "time_ns", pin->time_ns);
        json_text_field(json, "label", recording_text(recording, pin->label));
        json_uint_field(json, "cells", pin->cell_count);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_marks(struct json_out *json, const struct recording *recording)
{
    const struct mark_list *marks = &recording->marks;
    json_key(json, "marks");
    json_array_begin(json);
    for (size_t i = 0; i < marks->count; i++) {
        const struct mark *mark = &marks->items[i];
        if (mark->kind == MARK_END)
            continue;
        struct mark_span const span = marks_span(marks, i, recording->duration_ns);
        json_object_begin_inline(json);
        json_text_field(json, "name", recording_text(recording, mark->label));
        json_text_field(json, "kind", mark->kind == MARK_BEGIN ? "phase" : "mark");
        json_uint_field(json, "time_ns", mark->time_ns);
        json_uint_field_if(json, "end_ns", !span.is_open, span.to_ns);
        json_object_end(json);
    }
    json_array_end(json);
    json_uint_field(json, "marks_left_out", marks->left_out);
}

static void write_modules(struct json_out *json, const struct recording *recording)
{
    json_key(json, "modules");
    json_array_begin(json);
    for (size_t i = 0; i < recording->modules.count; i++) {
        const struct module *module = &recording->modules.items[i];
        json_object_begin_inline(json);
        json_text_field(json, "path", recording_text(recording, module->path));
        json_text_field(json, "build_id", recording_text(recording, module->build_id));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_threads(struct json_out *json, const struct recording *recording)
{
    json_key(json, "threads");
    json_array_begin(json);
    for (size_t i = 0; i < recording->threads.count; i++) {
        const struct thread *thread = &recording->threads.items[i];
        json_object_begin_inline(json);
        json_uint_field(json, "tid", thread->tid);
        json_text_field(json, "name", recording_text(recording, thread->name));
        json_uint_field(json, "first_ns", thread->first_ns);
        json_uint_field(json, "last_ns", thread->last_ns);
        json_uint_field(json, "merged", thread->merged);
        json_object_end(json);
    }
    json_array_end(json);
}

int json_info_write(const struct info *info, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_recording_write(&json, info->recording);
    write_file(&json, info);
    write_contents(&json, info->recording);
    json_quality_write(&json, info->recording, &info->findings);
    json_cost_write(&json, info->recording);
    json_before_write(&json, info->recording);
    write_ladder(&json, info->recording);
    write_pins(&json, info->recording);
    write_marks(&json, info->recording);
    write_modules(&json, info->recording);
    write_threads(&json, info->recording);
    json_object_end(&json);
    return json_finish(&json);
}
