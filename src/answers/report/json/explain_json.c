/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "analyze/sites/rank.h"
#include "base/json_list.h"
#include "report/rows/csv_report.h"
#include "report/rows/explain_report.h"
#include "report/json/json_report.h"
#include "report/text/text_line.h"

static const char *const advice_keys[ADVICE_KINDS] = {
    [ADVICE_TRIM] = "trim",
    [ADVICE_ARENAS] = "arenas",
    [ADVICE_FRAGMENTED] = "fragmented",
    [ADVICE_STACKS] = "stacks",
    [ADVICE_GROWING] = "growing",
    [ADVICE_EARLIER] = "earlier",
    [ADVICE_BLOCKS] = "blocks",
    [ADVICE_UNTOUCHED] = "untouched",
    [ADVICE_RESERVED] = "reserved",
};

static void write_residency(struct json_out *json, const struct explanation *explanation,
                            uint64_t lost_events)
{
    const struct residency *residency = &explanation->residency;
    json_key(json, "residency");
    json_object_begin(json);
    json_uint_field(json, "at_ns", explanation->at_ns);
    json_uint_field(json, "resident_bytes", explanation->total);
    if (!explanation->is_of_pages)
        json_int_field(json, "heap_live_bytes", explanation->heap_live_bytes);
    json_uint_field(json, "looks", residency->looks);
    json_uint_field(json, "last_look_ns", residency->time_ns);
    json_uint_field(json, "walked_bytes", residency->walked_bytes);
    json_uint_field(json, "rss_before_bytes", residency->rss_before_bytes);
    json_uint_field(json, "rss_after_bytes", residency->rss_after_bytes);
    json_int_field(json, "changed_bytes",
                   (int64_t)(residency->walked_bytes - residency->rss_before_bytes));
    json_uint_field(json, "untouched_bytes", residency->untouched_bytes);
    json_uint_field(json, "reserved_bytes", residency->reserved_bytes);
    json_uint_field(json, "took_ns", residency->took_ns);
    json_uint_field(json, "lost_events", lost_events);
    json_object_end(json);
}

static int write_rows(struct json_out *json, const struct explain_report *report, const char *key,
                      const struct weights *weights)
{
    struct rank rank;
    uint64_t shown = 0;
    int const err = rank_build(report->recording, weights, BY_STACK, &rank);
    if (err < 0)
        return err;
    json_key(json, key);
    json_array_begin(json);
    vec_each (row, &rank.rows) {
        if (!explain_row_is_shown(report, row, &shown))
            continue;
        json_object_begin(json);
        json_int_field(json, "value", row->self_value);
        json_key(json, "stack");
        json_array_begin(json);
        for (uint32_t at = row->node; at;) {
            const struct call_node *node = &rank.tree.nodes.items[at];
            struct shown_frame const frame = {node->function, node->module, node->file, node->line,
                                              node->inlined};
            json_frame_write(json, report->recording, &frame);
            at = node->parent;
        }
        json_array_end(json);
        json_object_end(json);
    }
    json_array_end(json);
    rank_fini(&rank);
    return 0;
}

static int write_owners(struct json_out *json, const struct explain_report *report)
{
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    size_t const count = explain_parts(report->explanation, parts);
    int err = 0;
    json_key(json, "owners");
    json_array_begin(json);
    for (size_t i = 0; i < count && err == 0; i++) {
        json_object_begin(json);
        json_text_field(json, "metric", parts[i].words->metric);
        json_text_field(json, "name", parts[i].words->name);
        json_int_field(json, "value", parts[i].weights->total_value);
        err = write_rows(json, report, "rows", parts[i].weights);
        if (err == 0 && parts[i].touched)
            err = write_rows(json, report, "touched", parts[i].touched);
        json_object_end(json);
    }
    json_array_end(json);
    return err;
}

static void write_advice(struct json_out *json, const struct explain_report *report)
{
    json_key(json, "advice");
    json_array_begin(json);
    vec_each (advice, &report->explanation->advice) {
        struct text_line line = {0};
        advice_render(report->recording, advice, &line);
        json_object_begin(json);
        json_text_field(json, "kind", advice_keys[advice->kind]);
        json_uint_field(json, "bytes", advice->bytes);
        json_text_field(json, "text", line.text);
        json_object_end(json);
    }
    json_array_end(json);
}

/* Lists of one length, one place per look: what draws them wants it so. */
static void write_curve(struct json_out *json, const struct owners_curve *curve)
{
    json_key(json, "over_time");
    json_object_begin(json);
    json_list_write(json, "time_ns", &curve->instants, json_uint, time_ns);
    json_list_write(json, "heap_live", &curve->instants, json_int, heap_live_bytes);
    json_key(json, "owners");
    json_array_begin(json);
    for (size_t part = 0; part < curve->part_count; part++) {
        json_object_begin(json);
        json_text_field(json, "metric", curve->words[part].metric);
        json_list_write(json, "values", &curve->instants, json_int, bytes[part]);
        json_object_end(json);
    }
    json_array_end(json);
    json_object_end(json);
}

static void write_notes(struct json_out *json, const struct recording *recording)
{
    json_key(json, "notes");
    json_array_begin(json);
    vec_each (note, &recording->notes)
        json_text(json, recording_text(recording, *note));
    json_array_end(json);
}

int explain_json_write(const struct explain_report *report, FILE *out)
{
    struct json_out json;
    json_init(&json, out, true);
    json_object_begin(&json);
    json_recording_write(&json, report->recording);
    write_residency(&json, report->explanation, report->recording->quality.lost_events);
    write_notes(&json, report->recording);
    int const err = write_owners(&json, report);
    write_advice(&json, report);
    if (report->curve)
        write_curve(&json, report->curve);
    json_object_end(&json);
    int const written = json_finish(&json);
    return err < 0 ? err : written;
}

int explain_csv_write(const struct explain_report *report, FILE *out)
{
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    size_t const count = explain_parts(report->explanation, parts);
    struct csv_out csv;
    csv_init(&csv, out);
    csv_head(&csv, "owner,bytes,share,function,module,file,line");
    for (size_t i = 0; i < count; i++) {
        struct recording *recording = report->recording;
        struct rank rank;
        uint64_t shown = 0;
        int const err = rank_build(recording, parts[i].weights, BY_STACK, &rank);
        if (err < 0)
            return err;
        vec_each (row, &rank.rows) {
            if (!explain_row_is_shown(report, row, &shown))
                continue;
            csv_text(&csv, parts[i].words->metric);
            csv_int(&csv, row->self_value);
            csv_real(&csv, (double)row->self_value / (double)report->explanation->total, 6);
            csv_place_write(&csv, recording,
                            &(struct csv_place){row->function, row->module, row->file, row->line});
            csv_end_row(&csv);
        }
        rank_fini(&rank);
    }
    return ferror(out) ? -EIO : 0;
}
