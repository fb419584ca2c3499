/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_notes.c - what a reader of the numbers should know about a perf.data. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/human.h"
#include "formats/perf_data_reader.h"

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

/* What a sample counts, and what else was in the file. */
static void tell_events(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    char text[PERF_NAME_MAX];
    if (reader->chosen < 0)
        return;
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    const char *title = perf_event_title(chosen, text);
    if (perf_event_measure(chosen) == PERF_MEASURE_CYCLES)
        recording_note(recording,
                       "samples are by the processor's counter %s, each counted as the %.4g ms "
                       "between two of them",
                       title, 1e3 / (double)chosen->attr.sample_freq);
    if (perf_event_measure(chosen) == PERF_MEASURE_COUNT)
        recording_note(recording,
                       "the numbers of cpu.on are no time: 1 ns stands for one %s that was counted",
                       title);
    vec_each (event, &reader->events.items) {
        char other[PERF_NAME_MAX];
        if (event->samples && event != chosen &&
            perf_event_measure(event) != perf_event_measure(chosen))
            recording_note(recording, "%" PRIu64 " samples of %s are left out: memoir shows %s",
                           event->samples, perf_event_title(event, other), title);
    }
}

static void tell_timing(struct perf_reader *reader)
{
    struct recording *recording = reader->recording;
    struct timing *timing = &recording->timing;
    timing->samples = reader->samples;
    timing->lost = reader->lost;
    timing->throttled = reader->throttled;
    timing->in_kernel = reader->stacks.in_kernel;
    timing->kernel_unnamed = reader->stacks.kernel_unnamed;
    if (reader->chosen < 0)
        return;
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    enum perf_measure const measure = perf_event_measure(chosen);
    timing->is_counted_by_cycles = measure == PERF_MEASURE_CYCLES;
    if (chosen->attr.freq)
        timing->hz = chosen->attr.sample_freq;
    else if (measure == PERF_MEASURE_NS && chosen->attr.sample_period)
        timing->hz = 1000000000u / chosen->attr.sample_period;
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
    snprintf(text, sizeof(text), SOURCE_PERF "%s%.80s", reader->facts.version ? " " : "",
             recording_text(recording, reader->facts.version));
    recording->source = recording_intern(recording, text);
    recording->exit_status = -1;
    recording->quality.events = reader->samples;
    if (reader->facts.wall_ns && reader->first_ns)
        recording->start_unix_ns =
            reader->facts.wall_ns + (reader->first_ns - reader->facts.clock_ns);
    tell_end(reader, stream);
    tell_events(reader);
    tell_timing(reader);
    tell_kernel(reader);
    tell_stacks(reader);
    tell_processes(reader);
}
