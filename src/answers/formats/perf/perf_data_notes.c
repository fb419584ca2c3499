/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_notes.c - what a reader of the numbers should know about a perf.data. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/human.h"
#include "formats/perf/perf_data_reader.h"

static void tell_end(struct perf_reader *reader, const struct perf_stream *stream)
{
    struct recording *recording = reader->recording;
    enum perf_stop const stop = perf_stream_stop(stream);
    bool const is_whole = stop == PERF_STOP_END && !reader->is_unfinished;
    recording->quality.complete = is_whole;
    recording->quality.damaged_chunks = reader->damaged + perf_stream_damaged(stream);
    recording->quality.truncated_bytes = is_whole ? 0 : perf_stream_left(stream);
    if (!is_whole)
        recording_note(recording,
                       "%s: it was read up to where it makes sense, all but %" PRIu64 " bytes",
                       reader->is_unfinished
                           ? "perf was killed or is still at work, or the end of the file is gone"
                           : "the file is damaged or cut off",
                       perf_stream_left(stream));
    if (recording->quality.damaged_chunks)
        recording_note(recording, "%" PRIu64 " records of the file make no sense and were skipped",
                       recording->quality.damaged_chunks);
    if (reader->order.late)
        recording_note(recording,
                       "%" PRIu64 " records came too late to be put in order: code that was mapped "
                       "meanwhile may be taken for other code",
                       reader->order.late);
}

static const struct metric *metric_of(const struct recording *recording, enum column column)
{
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        if (recording->own_metrics[i].plus == column)
            return &recording->own_metrics[i];
    return NULL;
}

/* "page-faults (151 samples)"; of time, the metric it is shown as. */
static void add_event(const struct recording *recording, char *list, size_t room,
                      const struct perf_event *event)
{
    const struct metric *own = metric_of(recording, event->column);
    char text[PERF_NAME_MAX], count[HUMAN_MAX];
    size_t const used = strlen(list);
    snprintf(list + used, room - used, "%s%s (%s samples%s)", used ? ", " : "",
             own ? own->name : perf_event_title(event, text),
             human_count((int64_t)event->samples, count),
             event->column == COL_CPU_NS ? ", cpu.on" : "");
}

static void list_events(struct perf_reader *reader)
{
    char list[400] = "";
    size_t events = 0, more = 0;
    vec_each (event, &reader->events.items) {
        if (event->samples == 0 || event->column == COL_NONE)
            continue;
        events++;
        if (strlen(list) < 300)
            add_event(reader->recording, list, sizeof(list), event);
        else
            more++;
    }
    if (events > 1 && more)
        recording_note(reader->recording,
                       "the file has %zu events: %s and %zu more; --metric NAME shows one", events,
                       list, more);
    else if (events > 1)
        recording_note(reader->recording, "the file has %zu events: %s; --metric NAME shows one",
                       events, list);
}

/* What a sample counts, and what else is in the file. */
static void tell_events(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    char text[PERF_NAME_MAX];
    uint64_t left_out = 0, kinds = 0;
    if (reader->chosen < 0)
        return;
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    if (perf_event_measure(chosen) == PERF_MEASURE_CYCLES)
        recording_note(recording,
                       "samples are by the processor's counter %s, each counted as the %.4g ms "
                       "between two of them",
                       perf_event_title(chosen, text), 1e3 / (double)chosen->attr.sample_freq);
    list_events(reader);
    vec_each (event, &reader->events.items) {
        bool const is_out = event->samples && event->column == COL_NONE;
        left_out += is_out ? event->samples : 0;
        kinds += is_out;
    }
    if (left_out)
        recording_note(recording,
                       "%" PRIu64 " samples of %" PRIu64
                       " events are left out: a file may have %d besides time",
                       left_out, kinds, OWN_METRICS_MAX);
}

/* The file's first event with samples is shown where none of them is time; metrics are in the
 * order of their first samples. */
static void tell_shown(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    if (reader->time_samples > 0)
        return;
    vec_each (event, &reader->events.items) {
        const struct metric *metric =
            event->has_column ? metric_of(recording, event->column) : NULL;
        if (!metric)
            continue;
        recording->shown_metric = recording_intern(recording, metric->name);
        return;
    }
}

static void tell_timing(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    struct timing *timing = &recording->timing;
    timing->samples = reader->time_samples;
    timing->lost = reader->lost;
    timing->throttled = reader->throttled;
    timing->in_kernel = reader->in_kernel;
    timing->kernel_unnamed = reader->kernel_unnamed;
    if (reader->chosen < 0)
        return;
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    enum perf_measure const measure = perf_event_measure(chosen);
    timing->is_counted_by_cycles = measure == PERF_MEASURE_CYCLES;
    if (measure == PERF_MEASURE_COUNT || measure == PERF_MEASURE_NOTHING)
        timing->hz = 0;
    else if (chosen->attr.freq)
        timing->hz = chosen->attr.sample_freq;
    else if (chosen->attr.sample_period)
        timing->hz = NS_PER_SECOND / chosen->attr.sample_period;
    if (reader->idle) {
        char time[HUMAN_MAX];
        recording_note(recording,
                       "%" PRIu64 " samples of processors that had nothing to do (%s) "
                       "are left out",
                       reader->idle, human_duration(reader->idle_value, time));
    }
    if (reader->timeless)
        recording_note(recording, "the samples have no times: everything seems to be at once");
}

static void tell_kernel(struct perf_reader *reader)
{
    const struct perf_kernel *kernel = &reader->kernel;
    if (kernel->unnamed == 0 || kernel->state == PERF_KERNEL_SAME)
        return;
    recording_note(
        reader->recording, "frames inside the kernel have no names: %s",
        kernel->state == PERF_KERNEL_HIDDEN
            ? "the addresses of this kernel are hidden; as root, or with sysctl "
              "kernel.kptr_restrict=0, they are not"
            : "it is not the kernel that runs here, or was started again since; open the "
              "file where and while it runs");
}

static void tell_stacks(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    const struct perf_stacks *stacks = &reader->stacks;
    uint64_t const cut = recording->quality.stack_ends[STACK_END_CUT];
    if (stacks->unwalked)
        recording_note(recording,
                       "%" PRIu64
                       " stacks could not be walked: only those of programs of 64 bits on "
                       "x86-64 can",
                       stacks->unwalked);
    if (stacks->walked && cut)
        recording_note(recording,
                       "%" PRIu64 " of %" PRIu64
                       " stacks go on outside of the part that perf copied: "
                       "perf record --call-graph dwarf,65528 copies the most",
                       cut, stacks->walked);
    if (reader->processes.made_lists)
        recording_note(recording,
                       "code made at run time has the names that /tmp/perf-PID.map has for it now: "
                       "the last ones, if addresses were used again");
    if (reader->processes.unmapped)
        recording_note(recording, "%" PRIu64 " mappings found no room: a process has more than %u",
                       reader->processes.unmapped, LISTED_REGIONS_MAX);
}

/* The only process needs no frame of its own. */
static void drop_only_root(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    uint32_t const count = stack_table_count(recording->stacks);
    struct stack_table *table = stack_table_create();
    stack_id *renamed = calloc((size_t)count + 1, sizeof(*renamed));
    int err = table && renamed ? 0 : -ENOMEM;
    for (stack_id id = 1; id <= count && err == 0; id++) {
        struct stack_link const link = stack_table_innermost(recording->stacks, id);
        if (id != reader->processes.roots.items[0])
            err = stack_table_push(table, renamed[link.caller], link.frame, &renamed[id]);
    }
    if (err == 0) { /* without it there is a frame too much, no more */
        moment_series_rename(recording, renamed);
        struct stack_table *old = recording->stacks;
        recording->stacks = table;
        table = old;
    }
    stack_table_destroy(table);
    free(renamed);
}

static void tell_processes(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    size_t const count = reader->processes.roots.count;
    uint32_t const first =
        number_map_get(&reader->processes.by_pid, (uint64_t)reader->first_pid + 1);
    if (count == 0 || first == 0)
        return;
    recording->pid = reader->first_pid;
    recording->program = reader->processes.items.items[first - 1].name;
    if (count == 1)
        drop_only_root(reader);
    else
        recording_note(recording, "%zu programs ran: each is an outermost frame of its own", count);
}

void perf_reader_tell(struct perf_reader *reader, const struct perf_stream *stream)
{
    struct recording *recording = reader->recording;
    char text[96];
    bool const is_counts = reader->time_samples == 0 && recording->own_metric_count > 0;
    snprintf(text, sizeof(text), "%s%s%.70s", is_counts ? SOURCE_PERF_COUNTS : SOURCE_PERF,
             reader->facts.version ? " " : "", recording_text(recording, reader->facts.version));
    recording->source = recording_intern(recording, text);
    recording->exit_status = -1;
    recording->quality.events = reader->samples;
    if (reader->facts.wall_ns && reader->first_ns)
        recording->start_unix_ns =
            reader->facts.wall_ns + (reader->first_ns - reader->facts.clock_ns);
    tell_end(reader, stream);
    tell_events(reader);
    tell_shown(reader);
    tell_timing(reader);
    tell_kernel(reader);
    tell_stacks(reader);
    tell_processes(reader);
}
