/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_book.c - what each record of a perf.data changes. */
#include <errno.h>

#include "formats/perf_data_reader.h"

#define NS_PER_SECOND 1000000000u

/* The event that is shown: time if there is any, else what was counted first. */
static int choose_event(const struct perf_reader *reader)
{
    int counted = -1;
    for (size_t i = 0; i < reader->events.items.count; i++) {
        enum perf_measure const measure = perf_event_measure(&reader->events.items.items[i]);
        if (measure == PERF_MEASURE_NS || measure == PERF_MEASURE_CYCLES)
            return (int)i;
        if (measure == PERF_MEASURE_COUNT && counted < 0)
            counted = (int)i;
    }
    return counted < 0 ? 0 : counted;
}

/* Those of other kinds of cores count the same. */
static bool is_chosen(struct perf_reader *reader, const struct perf_event *event)
{
    if (reader->chosen < 0)
        reader->chosen = choose_event(reader);
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    enum perf_measure const measure = perf_event_measure(chosen);
    if (event == chosen)
        return true;
    return perf_event_measure(event) == measure && event->attr.type == chosen->attr.type &&
           (measure == PERF_MEASURE_CYCLES || event->attr.config == chosen->attr.config);
}

static int64_t value_of(const struct perf_event *event, const struct perf_sample *sample)
{
    const struct perf_event_attr *attr = &event->attr;
    uint64_t value = 1;
    if (perf_event_measure(event) == PERF_MEASURE_CYCLES)
        return (int64_t)(NS_PER_SECOND / attr->sample_freq);
    if (sample->has_period)
        value = sample->period;
    else if (!attr->freq)
        value = attr->sample_period;
    else if (perf_event_measure(event) == PERF_MEASURE_NS && attr->sample_freq)
        value = NS_PER_SECOND / attr->sample_freq;
    return value > INT64_MAX ? -1 : (int64_t)value;
}

static int book_sample(struct perf_reader *reader, struct perf_event *event,
                       const struct perf_record *record)
{
    struct perf_sample sample;
    uint32_t thread;
    stack_id stack;
    if (perf_sample_parse(&event->attr, record, &sample) < 0) {
        reader->damaged++;
        return 0;
    }
    int64_t const value = value_of(event, &sample);
    event->samples++;
    if (!is_chosen(reader, event))
        return 0;
    if (sample.pid == 0 && sample.tid == 0) { /* a processor that had nothing to do */
        reader->idle++;
        reader->idle_value += value > 0 ? (uint64_t)value : 0;
        return 0;
    }
    if (reader->samples == 0) {
        reader->first_ns = sample.time;
        reader->first_pid = sample.pid;
    }
    reader->timeless += !sample.has_time;
    uint64_t const time = sample.time > reader->first_ns ? sample.time - reader->first_ns : 0;
    struct perf_process *process = perf_processes_find(&reader->processes, sample.pid, sample.tid);
    if (!process ||
        perf_processes_thread(&reader->processes, sample.pid, sample.tid, time, &thread) < 0 ||
        perf_stacks_put(&reader->stacks, process, &event->attr, record->misc, &sample, &stack) < 0)
        return -ENOMEM;
    int const err = moment_series_add(&reader->series, time, thread, stack, value);
    reader->damaged += err == -ERANGE;
    reader->samples += err == 0;
    reader->value += err == 0 ? (uint64_t)value : 0;
    return err == -ENOMEM ? err : 0;
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
        return perf_kernel_take(&reader->kernel, record, size);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        if (is_of_kernel(record))
            return perf_kernel_take(&reader->kernel, record, size);
        return perf_processes_take(&reader->processes, record, size);
    default:
        return perf_processes_take(&reader->processes, record, size);
    }
}
