/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_book.c - applies the records of a perf.data, one by one, to the recording. */
#include <errno.h>

#include "formats/perf/perf_data_reader.h"

/* A sample of one stack, thread and instant.  0 or -ENOMEM. */
static int put_sample(struct perf_reader *reader, struct perf_event *event,
                      const struct perf_record *record, const struct perf_sample *sample)
{
    struct perf_stacks *stacks = &reader->stacks;
    bool const is_time = event->column == COL_CPU_NS;
    uint64_t const in_kernel = stacks->in_kernel, unnamed = stacks->kernel_unnamed;
    struct sampled sampled = {
        .time_ns = sample->time > reader->first_ns ? sample->time - reader->first_ns : 0,
        .column = event->column,
        .count = is_time ? COL_CPU_SAMPLES : COL_NONE,
        .value = perf_sample_value(event, sample)};
    struct perf_process *process =
        perf_processes_find(&reader->processes, sample->pid, sample->tid);
    if (!process ||
        perf_processes_thread(&reader->processes, sample->pid, sample->tid, sampled.time_ns,
                              &sampled.thread) < 0 ||
        perf_stacks_put(stacks, process, sample->attr, record->misc, sample, &sampled.stack) < 0)
        return -ENOMEM;
    int const err = moment_series_add(&reader->series, &sampled);
    reader->damaged += err == -ERANGE;
    reader->samples += err == 0;
    if (is_time) {
        reader->time_samples += err == 0;
        reader->in_kernel += stacks->in_kernel - in_kernel;
        reader->kernel_unnamed += stacks->kernel_unnamed - unnamed;
    }
    return err == -ENOMEM ? err : 0;
}

static int book_one(struct perf_reader *reader, struct perf_event *event,
                    const struct perf_record *record, const struct perf_sample *sample)
{
    enum column const column = perf_reader_column(reader, event);
    event->samples++;
    if (column == COL_NONE)
        return 0;
    if (column == COL_CPU_NS && sample->pid == 0 && sample->tid == 0) { /* nothing to do */
        int64_t const value = perf_sample_value(event, sample);
        reader->idle++;
        reader->idle_value += value > 0 ? (uint64_t)value : 0;
        return 0;
    }
    if (reader->samples == 0) {
        reader->first_ns = sample->time;
        reader->first_pid = sample->pid;
    }
    reader->timeless += !sample->has_time;
    return put_sample(reader, event, record, sample);
}

/* Where only the first event of a group is sampled, what all of them counted since is of the
 * same stack, as perf has it: not the period of the first. */
static int book_group(struct perf_reader *reader, struct perf_event *leader,
                      const struct perf_record *record, const struct perf_sample *sample)
{
    struct perf_sample part = *sample;
    bool is_told = false;
    int err = 0;
    part.has_period = true;
    for (size_t i = 0; i < sample->read_count && err == 0; i++) {
        const uint8_t *read = sample->reads + i * sample->read_size;
        struct perf_event *event =
            perf_events_count(&reader->events, perf_word(read + 8), perf_word(read), &part.period);
        is_told |= event == leader;
        if (event && part.period > 0)
            err = book_one(reader, event, record, &part);
    }
    return is_told || err < 0 ? err : book_one(reader, leader, record, sample);
}

static int book_sample(struct perf_reader *reader, struct perf_event *event,
                       const struct perf_record *record)
{
    struct perf_sample sample;
    if (perf_sample_parse(&event->attr, record, &sample) < 0) {
        reader->damaged++;
        return 0;
    }
    return book_group(reader, event, record, &sample);
}

static bool is_of_kernel(const struct perf_record *record)
{
    unsigned const mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    return mode != PERF_RECORD_MISC_USER && mode != PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

int perf_reader_book(struct perf_reader *reader, const struct perf_record *record)
{
    struct perf_trailer trailer;
    struct perf_event *event = perf_events_find(&reader->events, record);
    if (!event)
        return 0;
    if (record->type == PERF_RECORD_SAMPLE)
        return book_sample(reader, event, record);
    size_t const size = record->size - perf_trailer_parse(&event->attr, record, &trailer);
    switch (record->type) {
    case PERF_RECORD_LOST:
        reader->lost += size >= 16 ? perf_word(record->body + 8) : 0;
        return 0;
    case PERF_RECORD_LOST_SAMPLES:
        reader->lost += size >= 8 ? perf_word(record->body) : 0;
        return 0;
    case PERF_RECORD_THROTTLE:
        reader->throttled++;
        return 0;
    case PERF_RECORD_KSYMBOL:
        return perf_kernel_handle(&reader->kernel, record, size);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        if (is_of_kernel(record))
            return perf_kernel_handle(&reader->kernel, record, size);
        return perf_processes_handle(&reader->processes, record, size);
    default:
        return perf_processes_handle(&reader->processes, record, size);
    }
}
