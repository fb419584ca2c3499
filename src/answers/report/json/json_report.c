/* SPDX-License-Identifier: Apache-2.0 */
#include "report/json/json_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/growth_text.h"
#include "report/text/phase_table.h"
#include "model/losses.h"
#include "report/rows/row_list.h"

/* Stacks that share their frames are written one by one: a file of a megabyte can be a hundred
 * gigabytes of JSON.  So an answer is as large as its rows, and so much more; a server's, which
 * others wait for, has one bound. */
#define ANSWER_BYTES        (UINT64_C(256) << 20)
#define SERVER_ANSWER_BYTES (UINT64_C(64) << 20)
#define BYTES_FOR_EACH_ROW  4096u
#define ROW_BYTES           320u /* about, without names */
#define FRAME_BYTES         80u

/* What there is still room for, and what there was none for. */
struct answer_room {
    uint64_t bytes;
    uint64_t rows, frames; /* left out: frames, of rows that are there */
    int64_t value;         /* of the rows */
};

static void write_bound(struct json_out *json, const char *name, const uint64_t *bound)
{
    json_uint_field_if(json, name, bound, bound ? *bound : 0);
}

static void write_freed_range(struct json_out *json, const struct recording *recording)
{
    struct value_range range, calls;
    bool const is_known =
        losses_of_freed(recording, &range) && losses_of_freed_calls(recording, &calls);
    write_bound(json, "freed_calls_low", is_known ? &calls.low : NULL);
    write_bound(json, "freed_calls_high", is_known ? &calls.high : NULL);
    write_bound(json, "freed_bytes_low", is_known ? &range.low : NULL);
    write_bound(json, "freed_bytes_high", is_known ? &range.high : NULL);
}

/* Whose blocks made the peak is not always written down. */
static bool knows_peak_blocks(const struct totals *totals)
{
    return totals->peak_count > 0 || totals->peak_bytes == 0;
}

static void write_peak_calls(struct json_out *json, const struct recording *recording)
{
    struct value_range range;
    bool const is_known = losses_of_peak_calls(recording, &range);
    write_bound(json, "peak_calls_low", is_known ? &range.low : NULL);
    write_bound(json, "peak_calls_high", is_known ? &range.high : NULL);
}

static void write_leaked_calls(struct json_out *json, const struct report *report)
{
    struct value_range range;
    bool const is_known =
        losses_of_live_calls(report->recording, report->leaked_value, report->leaked_count, &range);
    write_bound(json, "leaked_calls_low", is_known ? &range.low : NULL);
    write_bound(json, "leaked_calls_high", is_known ? &range.high : NULL);
}

static void write_heap(struct json_out *json, const struct report *report)
{
    const struct totals *heap = &report->recording->heap;
    const struct suppressions *rules = report->question.suppressions;
    struct value_range const peak = losses_of_peak(report->recording);
    struct value_range const leaked = losses_of_live(report->recording, report->leaked_value);
    json_key(json, "heap");
    json_object_begin(json);
    json_uint_field(json, "calls", heap->calls);
    json_uint_field(json, "allocated_bytes", heap->bytes);
    json_uint_field(json, "freed_calls", heap->frees);
    json_uint_field(json, "freed_bytes", heap->freed_bytes);
    write_freed_range(json, report->recording);
    json_uint_field(json, "peak_bytes", heap->peak_bytes);
    json_uint_field_if(json, "peak_calls", knows_peak_blocks(heap), heap->peak_count);
    json_uint_field(json, "peak_time_ns", heap->peak_time_ns);
    json_uint_field(json, "peak_bytes_low", peak.low);
    json_uint_field(json, "peak_bytes_high", peak.high);
    write_peak_calls(json, report->recording);
    json_int_field(json, "leaked_bytes", report->leaked_value);
    json_int_field(json, "leaked_calls", report->leaked_count);
    json_text_field(json, "leaked_when", live_when_key(recording_live_when(report->recording)));
    json_uint_field(json, "leaked_bytes_low", leaked.low);
    json_uint_field(json, "leaked_bytes_high", leaked.high);
    write_leaked_calls(json, report);
    json_int_field(json, "suppressed_bytes", rules ? rules->value : 0);
    json_int_field(json, "suppressed_calls", rules ? rules->count : 0);
    json_uint_field(json, "temporary_calls", heap->temporary);
    json_uint_field(json, "slack_bytes", heap->slack_bytes);
    json_uint_field_if(json, "peak_slack_bytes", knows_peak_blocks(heap), heap->peak_slack_bytes);
    json_object_end(json);
}

static void write_maps(struct json_out *json, const struct totals *maps)
{
    json_key(json, "maps");
    json_object_begin(json);
    json_uint_field(json, "calls", maps->calls);
    json_uint_field(json, "mapped_bytes", maps->bytes);
    json_uint_field(json, "unmapped_calls", maps->frees);
    json_uint_field(json, "unmapped_bytes", maps->freed_bytes);
    json_uint_field(json, "peak_bytes", maps->peak_bytes);
    json_uint_field(json, "peak_time_ns", maps->peak_time_ns);
    json_object_end(json);
}

/* What the program told of its own allocators; null when it told nothing. */
static void write_pools(struct json_out *json, const struct totals *pools)
{
    json_key(json, "pools");
    if (pools->calls == 0) {
        json_null(json);
        return;
    }
    json_object_begin(json);
    json_uint_field(json, "calls", pools->calls);
    json_uint_field(json, "allocated_bytes", pools->bytes);
    json_uint_field(json, "freed_calls", pools->frees);
    json_uint_field(json, "freed_bytes", pools->freed_bytes);
    json_uint_field(json, "peak_bytes", pools->peak_bytes);
    json_uint_field_if(json, "peak_calls", knows_peak_blocks(pools), pools->peak_count);
    json_uint_field(json, "peak_time_ns", pools->peak_time_ns);
    json_object_end(json);
}

static void write_summary(struct json_out *json, const struct report *report)
{
    json_key(json, "summary");
    json_object_begin(json);
    write_heap(json, report);
    write_maps(json, &report->recording->maps);
    write_pools(json, &report->recording->pools);
    json_measured_field(json, "rss_peak_bytes", report->findings.rss_peak_bytes);
    json_measured_field(json, "pss_peak_bytes", report->findings.pss_peak_bytes);
    json_uint_field_if(json, "anon_peak_bytes", report->recording->anon_peak_bytes != 0,
                       report->recording->anon_peak_bytes);
    json_object_end(json);
}

static void write_classes(struct json_out *json, const uint64_t *classes, bool is_sizes)
{
    unsigned const count = is_sizes ? SIZE_CLASSES : LIFETIME_CLASSES;
    json_array_begin(json);
    for (unsigned k = 0; k < count; k++) {
        if (classes[k] == 0)
            continue;
        json_object_begin_inline(json);
        json_uint_field(json, is_sizes ? "from_bytes" : "from_ns",
                        is_sizes ? histogram_size_from(k) : histogram_lifetime_from(k));
        json_key(json, is_sizes ? "below_bytes" : "below_ns");
        if (k + 1 == count)
            json_null(json);
        else
            json_uint(json, is_sizes ? histogram_size_from(k + 1) : lifetime_bounds_ns[k]);
        json_uint_field(json, "count", classes[k]);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_histogram(struct json_out *json, const struct histogram *histogram)
{
    json_key(json, "sizes");
    write_classes(json, histogram->sizes, true);
    json_key(json, "lifetimes");
    write_classes(json, histogram->lifetimes, false);
}

/* Whether there is room for so many bytes, which are taken. */
static bool take_room(struct answer_room *room, uint64_t bytes)
{
    bool const fits = bytes <= room->bytes;
    room->bytes = fits ? room->bytes - bytes : 0;
    return fits;
}

static uint64_t frame_bytes(const struct recording *recording, const struct call_node *node)
{
    return FRAME_BYTES + strlen(recording_text(recording, node->function)) +
           strlen(recording_text(recording, node->module)) +
           strlen(recording_text(recording, node->file));
}

/* Innermost first, as far as there is room; the one that asked for memory always. */
static void write_frames(struct json_out *json, const struct report *report,
                         const struct row_list *list, const struct rank_row *row,
                         struct answer_room *room)
{
    for (uint32_t at = row->node; at;) {
        const struct call_node *node = &list->rank.tree.nodes.items[at];
        struct shown_frame const frame = {node->function, node->module, node->file, node->line,
                                          node->inlined};
        bool const fits = take_room(room, frame_bytes(report->recording, node));
        if (fits || at == row->node)
            json_frame_write(json, report->recording, &frame);
        else
            room->frames++;
        at = node->parent;
    }
}

/* A whole stack up the tree, or the one frame a grouped row is about. */
static void write_stack(struct json_out *json, const struct report *report,
                        const struct row_list *list, const struct rank_row *row,
                        struct answer_room *room)
{
    json_key(json, "stack");
    json_array_begin(json);
    if (list->rank.by == BY_STACK) {
        write_frames(json, report, list, row, room);
    } else if (row->function) {
        struct shown_frame const frame = {row->function, row->module, row->file, row->line,
                                          row->inlined};
        json_frame_write(json, report->recording, &frame);
    }
    json_array_end(json);
}

static void write_thread(struct json_out *json, const struct recording *recording, uint32_t index)
{
    if (index >= recording->threads.count)
        return;
    const struct thread *thread = &recording->threads.items[index];
    json_key(json, "thread");
    json_object_begin_inline(json);
    json_uint_field(json, "tid", thread->tid);
    json_text_field(json, "name", recording_text(recording, thread->name));
    json_uint_field(json, "merged", thread->merged);
    json_object_end(json);
}

static void write_error(struct json_out *json, const struct report *report, const char *name,
                        struct report_value value)
{
    if (!report->recording->quality.sample_rate && !report_has_losses(report))
        return;
    int64_t const error = report_error(report, value);
    json_int_field_if(json, name, error != REPORT_ERROR_UNKNOWN, error);
}

static void write_row(struct json_out *json, const struct report *report,
                      const struct row_list *list, const struct rank_row *row,
                      struct answer_room *room)
{
    json_object_begin(json);
    json_int_field(json, "value", row->self_value);
    json_int_field(json, "count", row->self_count);
    json_real_field(json, "share", report_share(report, row->self_value));
    write_error(json, report, "error",
                (struct report_value){row->self_value, row->self_count, row->self_spread});
    if (list->rank.by != BY_STACK && list->rank.by != BY_THREAD) {
        json_int_field(json, "total_value", row->total_value);
        json_int_field(json, "total_count", row->total_count);
        write_error(json, report, "total_error",
                    (struct report_value){row->total_value, row->total_count, row->total_spread});
    }
    if (list->rank.by == BY_THREAD)
        write_thread(json, report->recording, row->thread);
    write_stack(json, report, list, row, room);
}

/* One histogram per row of the rank; NULL when out of memory. */
static struct histogram *make_row_histograms(struct report *report, const struct row_list *list)
{
    size_t const stacks = (size_t)stack_table_count(report->recording->stacks) + 1;
    struct histogram *rows = calloc(list->rank.rows.count + 1, sizeof(*rows));
    uint32_t *row_of_stack = malloc(stacks * sizeof(*row_of_stack));
    struct time_range range = report->question.range;
    int err = rows && row_of_stack ? 0 : -ENOMEM;
    if (!err) {
        memset(row_of_stack, 0xff, stacks * sizeof(*row_of_stack)); /* HISTOGRAM_SKIP */
        for (size_t i = 0; i < report->weights.rows.count; i++)
            row_of_stack[report->weights.rows.items[i].key] = list->rank.row_of_weight[i];
        err = histogram_add(report->recording, &range,
                            (struct histogram_sites){row_of_stack, rows,
                                                     metric_is_of_pools(report->question.metric)},
                            NULL);
    }
    free(row_of_stack);
    if (err) {
        free(rows);
        return NULL;
    }
    return rows;
}

static struct answer_room room_of(const struct report *report, const struct row_list *list)
{
    return (struct answer_room){.bytes = report->question.for_machines
                                             ? SERVER_ANSWER_BYTES
                                             : ANSWER_BYTES +
                                                   (uint64_t)list->count * BYTES_FOR_EACH_ROW};
}

static int write_rows(struct json_out *json, struct report *report, struct answer_room *room)
{
    struct row_list list;
    struct histogram *histograms = NULL;
    bool const wants_histograms =
        report->question.histogram != HISTOGRAM_DEFAULT && report->question.by != BY_THREAD;
    json_key(json, "rows");
    json_array_begin(json);
    int err = report->question.top ? row_list_make(report, REPORT_NO_LIMIT, &list) : 0;
    if (err || !report->question.top) { /* nobody wants rows: they are most of the work */
        json_array_end(json);
        return err;
    }
    if (wants_histograms && !(histograms = make_row_histograms(report, &list)))
        err = -ENOMEM;
    *room = room_of(report, &list);
    for (size_t i = 0; i < list.count && !err; i++) {
        const struct rank_row *row = row_list_at(&list, i);
        if (!take_room(room, ROW_BYTES)) {
            room->rows++;
            room->value = (int64_t)((uint64_t)room->value + (uint64_t)row->self_value);
            continue;
        }
        write_row(json, report, &list, row, room);
        if (histograms)
            write_histogram(json, &histograms[list.order[i]]);
        json_object_end(json);
    }
    json_array_end(json);
    free(histograms);
    row_list_fini(&list);
    return err;
}

static void write_question(struct json_out *json, const struct report *report)
{
    static const char *const names[] = {
        [BY_STACK] = "stack",   [BY_FUNCTION] = "function", [BY_MODULE] = "module",
        [BY_THREAD] = "thread", [BY_LINE] = "line",         [BY_PHASE] = "phase"};
    const struct report_question *question = &report->question;
    json_text_field(json, "metric", question->metric->name);
    json_text_field(json, "unit", question->metric->unit);
    json_text_field(json, "by", names[question->by]);
    json_key(json, "range");
    json_object_begin_inline(json);
    json_uint_field(json, "from_ns", report->weights.used.from_ns);
    json_uint_field(json, "to_ns", report->weights.used.to_ns);
    json_object_end(json);
    json_text_field(json, "filter", question->filter ? question->filter_text : NULL);
    json_key(json, "total");
    json_object_begin_inline(json);
    json_int_field(json, "value", report->whole_value);
    json_int_field(json, "count", report->whole_count);
    json_object_end(json);
    json_key(json, "matched");
    json_object_begin_inline(json);
    json_int_field(json, "value", report->weights.total_value);
    json_int_field(json, "count", report->weights.total_count);
    json_object_end(json);
}

/* Of the whole recording: when each event was lost is not known. */
static void write_rows_doubt(struct json_out *json, const struct report *report)
{
    const struct quality *quality = &report->recording->quality;
    json_key(json, "rows_doubt");
    if (!report_has_losses(report)) {
        json_null(json);
        return;
    }
    json_object_begin_inline(json);
    json_uint_field(json, "lost_calls", quality->lost_calls);
    json_uint_field(json, "lost_bytes", quality->lost_bytes);
    json_uint_field(json, "lost_frees", quality->lost_frees);
    json_object_end(json);
}

/* Rows after the last one that is there, and frames of those that are. */
static void write_too_large(struct json_out *json, const struct answer_room *room)
{
    json_key(json, "too_large");
    if (!room->rows && !room->frames) {
        json_null(json);
        return;
    }
    json_object_begin_inline(json);
    json_uint_field(json, "rows_left_out", room->rows);
    json_int_field(json, "value_left_out", room->value);
    json_uint_field(json, "frames_left_out", room->frames);
    json_object_end(json);
}

static void write_suppressions(struct json_out *json, const struct report *report)
{
    const struct suppressions *rules = report->question.suppressions;
    json_key(json, "suppressions");
    json_array_begin(json);
    for (size_t i = 0; rules && i < rules->rules.count; i++) {
        const struct suppression *rule = &rules->rules.items[i];
        if (rule->stacks == 0)
            continue;
        json_object_begin_inline(json);
        json_text_field(json, "pattern", rule->pattern);
        json_text_field(json, "origin", rule->origin);
        json_uint_field(json, "line", rule->line);
        json_int_field(json, "bytes", rule->value);
        json_int_field(json, "calls", rule->count);
        json_object_end(json);
    }
    json_array_end(json);
}

int json_report_write(struct report *report, FILE *out)
{
    struct json_out json;
    json_init(&json, out, !report->question.for_machines);
    json_object_begin(&json);
    json_recording_write(&json, report->recording);
    write_summary(&json, report);
    json_quality_write(&json, report->recording, &report->findings);
    json_cost_write(&json, report->recording);
    json_before_write(&json, report->recording);
    recording_growth_json_write(&json, report->recording, &report->growth);
    write_question(&json, report);
    write_suppressions(&json, report);
    write_rows_doubt(&json, report);
    json_key(&json, "histogram");
    json_object_begin(&json);
    write_histogram(&json, &report->histogram);
    json_object_end(&json);
    struct answer_room room = {.bytes = 0};
    int err = 0;
    if (report->question.by == BY_PHASE)
        phase_json_write(&json, report);
    else
        err = write_rows(&json, report, &room);
    write_too_large(&json, &room);
    json_object_end(&json);
    int const finished = json_finish(&json);
    return err ? err : finished;
}
