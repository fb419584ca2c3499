/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>

#include "model/losses.h"
#include "report/text/doubt_text.h"
#include "report/json/json_report.h"
#include "report/text/text_line.h"

static const char *const stack_end_names[STACK_END_KINDS] = {
    [STACK_END_COMPLETE] = "complete",     [STACK_END_NO_RULE] = "no_rule",
    [STACK_END_BAD_FRAME] = "bad_frame",   [STACK_END_TOO_DEEP] = "too_deep",
    [STACK_END_TABLE_FULL] = "table_full", [STACK_END_CUT] = "cut",
    [STACK_END_NOT_TAKEN] = "not_taken",
};

static const char *const unnamed_names[UNNAMED_REASONS] = {
    [UNNAMED_NO_MODULE] = "no_module",
    [UNNAMED_NO_SYMBOLS] = "no_symbols",
    [UNNAMED_GAP] = "gap",
};

static void write_traits(struct json_out *json, const struct recording *recording)
{
    json_key(json, "has");
    json_array_begin(json);
    for (size_t i = 0; i < recording->traits.count; i++) {
        const struct trait *trait = &recording->traits.items[i];
        json_object_begin_inline(json);
        json_text_field(json, "kind", trait_key(trait->kind));
        json_text_field(json, "where", recording_text(recording, trait->where));
        json_bool_field(json, "in_executable", trait->in_executable);
        json_bool_field(json, "seen", trait->is_seen);
        json_object_end(json);
    }
    json_array_end(json);
}

void json_measured_field(struct json_out *json, const char *key, int64_t value)
{
    json_int_field_if(json, key, value >= 0, value);
}

/* Other programs' files do not tell everything. */
static void write_known(struct json_out *json, const char *key, uint64_t value)
{
    json_uint_field_if(json, key, value != 0, value);
}

/* As waitpid gives it, and taken apart. */
static void write_ending(struct json_out *json, int32_t status)
{
    bool const is_known = status >= 0;
    json_int_field_if(json, "exit_status", is_known, status);
    json_int_field_if(json, "exit_code", is_known && WIFEXITED(status), WEXITSTATUS(status));
    json_int_field_if(json, "signal", is_known && WIFSIGNALED(status), WTERMSIG(status));
}

void json_recording_write(struct json_out *json, const struct recording *recording)
{
    json_key(json, "recording");
    json_object_begin(json);
    json_text_field(json, "program", recording_text(recording, recording->program));
    json_text_field(json, "command_line", recording_text(recording, recording->command_line));
    write_known(json, "pid", recording->pid);
    write_known(json, "parent_pid", recording->parent_pid);
    json_text_field(json, "host", recording_text(recording, recording->host));
    write_known(json, "start", recording->start_unix_ns);
    json_uint_field(json, "duration_ns", recording->duration_ns);
    json_text_field(json, "source", recording_text(recording, recording->source));
    write_ending(json, recording->exit_status);
    json_bool_field(json, "still_ran", recording_ran_on(recording));
    json_bool_field(json, "being_written", recording->being_written);
    json_uint_field_if(json, "written", recording->written_unix_ns != 0,
                       recording->written_unix_ns);
    json_uint_field(json, "page_bytes", recording->page_bytes);
    json_uint_field(json, "machine_bytes", recording->machine_bytes);
    json_uint_field(json, "limit_bytes", recording->limit_bytes);
    write_traits(json, recording);
    json_object_end(json);
}

void json_before_write(struct json_out *json, const struct recording *recording)
{
    const struct before *before = &recording->before;
    struct value_range const freed = losses_of_before(recording);
    json_key(json, "before");
    if (!before->attached) {
        json_null(json);
        return;
    }
    json_object_begin(json);
    json_uint_field(json, "rss_bytes", before->rss_bytes);
    json_uint_field(json, "heap_bytes", before->heap_bytes);
    json_uint_field(json, "anonymous_bytes", before->anonymous_bytes);
    json_uint_field(json, "freed_calls", recording->quality.unknown_frees);
    json_uint_field(json, "freed_calls_low", freed.low);
    json_uint_field(json, "freed_calls_high", freed.high);
    json_uint_field(json, "borrowed_ns", before->borrowed_ns);
    json_uint_field(json, "stopped_ns", before->stopped_ns);
    json_object_end(json);
}

static void write_counts(struct json_out *json, const struct quality *quality)
{
    json_uint_field(json, "lost_events", quality->lost_events);
    json_uint_field(json, "events", quality->events);
    json_uint_field(json, "lost_calls", quality->lost_calls);
    json_uint_field(json, "lost_bytes", quality->lost_bytes);
    json_uint_field(json, "lost_frees", quality->lost_frees);
    json_uint_field(json, "gaps", quality->gaps);
    json_uint_field(json, "longest_gap_ns", quality->longest_gap_ns);
    json_uint_field(json, "thinned_calls", quality->thinned_calls);
    json_uint_field(json, "thinned_bytes", quality->thinned_bytes);
    json_uint_field(json, "peak_order_bytes", quality->peak_order_bytes);
    json_uint_field(json, "unwritten_from_ns", quality->unwritten_from_ns);
    json_uint_field(json, "implied_frees", quality->implied_frees);
    json_uint_field(json, "unknown_frees", quality->unknown_frees);
    json_uint_field(json, "collapsed_stacks", quality->collapsed_stacks);
    json_uint_field(json, "sample_rate_bytes", quality->sample_rate);
    json_uint_field(json, "samples_dropped", quality->samples_dropped);
    json_uint_field(json, "unfollowed_bytes", quality->unfollowed_bytes);
    json_uint_field(json, "off_ns", quality->off_ns);
    json_uint_field(json, "damaged_chunks", quality->damaged_chunks);
    json_uint_field(json, "truncated_bytes", quality->truncated_bytes);
    json_bool_field(json, "complete", quality->complete);
    json_bool_field(json, "coarsened", quality->coarsened);
}

static void write_doubts(struct json_out *json, const struct recording *recording,
                         const struct plausibility *found)
{
    json_key(json, "doubts");
    json_array_begin(json);
    for (size_t i = 0; i < found->count; i++) {
        const struct doubt *doubt = &found->doubts[i];
        struct text_line line = {0};
        doubt_render(recording, found, doubt, &line);
        json_object_begin_inline(json);
        json_text_field(json, "kind", doubt_key(doubt->kind));
        json_text_field(json, "has", doubt->trait ? trait_key(doubt->trait->kind) : NULL);
        json_text_field(json, "sentence", line.text);
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_timing(struct json_out *json, const struct timing *timing)
{
    json_key(json, "time");
    if (timing->hz == 0 && timing->waits == 0) {
        json_null(json);
        return;
    }
    json_object_begin(json);
    json_uint_field(json, "hz", timing->hz);
    json_uint_field(json, "samples", timing->samples);
    json_uint_field(json, "cpu_ns", timing->cpu_ns);
    json_uint_field(json, "lost_samples", timing->lost);
    json_uint_field(json, "throttled", timing->throttled);
    json_uint_field(json, "samples_in_kernel", timing->in_kernel);
    json_uint_field(json, "samples_in_kernel_unnamed", timing->kernel_unnamed);
    json_uint_field(json, "waits", timing->waits);
    json_uint_field(json, "wait_ns", timing->wait_ns);
    json_uint_field(json, "lost_waits", timing->waits_lost);
    json_uint_field(json, "waits_without_stack", timing->waits_without_stack);
    json_text_field(json, "event", timing->is_counted_by_cycles ? "cycles" : "cpu-clock");
    json_object_end(json);
}

static void write_sources(struct json_out *json, const struct quality *quality)
{
    json_key(json, "sources");
    json_array_begin(json);
    for (int i = 0; i < STACK_SOURCES; i++) {
        const struct stack_share *share = &quality->sources[i];
        if (share->stacks == 0)
            continue;
        json_object_begin_inline(json);
        json_text_field(json, "name", stack_source_name((enum stack_source)i));
        json_uint_field(json, "stacks", share->stacks);
        json_uint_field(json, "complete", share->complete);
        json_real_field(json, "complete_share", (double)share->complete / (double)share->stacks);
        json_object_end(json);
    }
    json_array_end(json);
}

void json_quality_write(struct json_out *json, const struct recording *recording,
                        const struct findings *findings)
{
    const struct quality *quality = &recording->quality;
    json_key(json, "quality");
    json_object_begin(json);
    write_counts(json, quality);
    json_real_field(json, "complete_stacks_share", findings->complete_share);
    json_key(json, "stack_ends");
    json_object_begin_inline(json);
    for (int i = 0; i < STACK_END_KINDS; i++)
        json_uint_field(json, stack_end_names[i], quality->stack_ends[i]);
    json_object_end(json);
    write_sources(json, quality);
    json_real_field(json, "unresolved_frames_share", findings->unnamed_share);
    json_key(json, "unresolved_frames");
    json_object_begin_inline(json);
    for (int i = 0; i < UNNAMED_REASONS; i++)
        json_uint_field(json, unnamed_names[i], findings->unnamed_by_reason[i]);
    json_object_end(json);
    json_key(json, "notes");
    json_array_begin(json);
    for (size_t i = 0; i < recording->notes.count; i++)
        json_text(json, recording_text(recording, recording->notes.items[i]));
    struct text_line until = {0};
    if (line_add_until(&until, "all numbers go ", recording))
        json_text(json, until.text);
    else if (recording_ran_on(recording) && recording_traces_heap(recording))
        json_text(json, "the process may have gone on: what is called leaked was live when "
                        "recording stopped");
    json_array_end(json);
    write_doubts(json, recording, &findings->plausibility);
    write_timing(json, &recording->timing);
    json_object_end(json);
}

void json_cost_write(struct json_out *json, const struct recording *recording)
{
    const struct cost *cost = &recording->cost;
    json_key(json, "cost");
    json_object_begin(json);
    json_uint_field(json, "ns_per_event", cost->ns_per_event);
    json_uint_field(json, "recorder_cpu_ns", cost->recorder_cpu_ns);
    json_uint_field(json, "recorder_rss_bytes", cost->recorder_rss_bytes);
    json_uint_field(json, "arena_bytes", cost->arena_bytes);
    json_uint_field(json, "waits", cost->target_waits);
    json_uint_field(json, "wait_ns", cost->target_wait_ns);
    json_uint_field(json, "drops", recording->quality.lost_events);
    json_object_end(json);
}

void json_frame_write(struct json_out *json, const struct recording *recording,
                      const struct shown_frame *frame)
{
    json_object_begin_inline(json);
    json_text_field(json, "function", recording_text(recording, frame->function));
    json_text_field(json, "module", recording_text(recording, frame->module));
    json_text_field(json, "file", recording_text(recording, frame->file));
    json_uint_field(json, "line", frame->line);
    json_bool_field(json, "inlined", frame->inlined);
    json_object_end(json);
}

void json_weighed_write(struct json_out *json, const struct weights *weights)
{
    json_text_field(json, "metric", weights->metric->name);
    json_text_field(json, "unit", weights->metric->unit);
    json_key(json, "range");
    json_object_begin_inline(json);
    json_uint_field(json, "from_ns", weights->used.from_ns);
    json_uint_field(json, "to_ns", weights->used.to_ns);
    json_object_end(json);
}

void json_sum_write(struct json_out *json, const char *key, int64_t value, int64_t count)
{
    json_key(json, key);
    json_object_begin_inline(json);
    json_int_field(json, "value", value);
    json_int_field(json, "count", count);
    json_object_end(json);
}
