/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_metrics.c - chooses the metric for the samples of each event of a perf.data, and how
 * much a sample counts.  One event is time (cpu.on), together with events of the same kind on other
 * kinds of cores.  Adding up two clocks would count time twice, so every other event becomes a
 * metric of the file's own, under the event's name. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "formats/perf/perf_data_reader.h"

#define PERF_TITLE_MAX (PERF_NAME_MAX + 11u) /* ".4294967295" */

/* The event that is shown unless somebody asks for another: time if there is any, else what was
 * counted first. */
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

static bool is_time(const struct perf_event *event)
{
    enum perf_measure const measure = perf_event_measure(event);
    return measure == PERF_MEASURE_NS || measure == PERF_MEASURE_CYCLES;
}

/* Of those that were asked for twice, each but the first has a number behind its name. */
static const char *own_title(const struct perf_reader *reader, const struct perf_event *event,
                             char title[PERF_TITLE_MAX])
{
    char text[PERF_NAME_MAX], other[PERF_NAME_MAX];
    unsigned before = 0;
    perf_event_title(event, text);
    for (const struct perf_event *earlier = reader->events.items.items; earlier < event; earlier++)
        before += !perf_events_alike(earlier, event) &&
                  strcmp(perf_event_title(earlier, other), text) == 0;
    if (before)
        snprintf(title, PERF_TITLE_MAX, "%s.%u", text, before);
    else
        snprintf(title, PERF_TITLE_MAX, "%s", text);
    return title;
}

/* The metric of an event that is not the recording's time; COL_NONE when there are too many. */
static enum column own_column(struct perf_reader *reader, const struct perf_event *event)
{
    char title[PERF_TITLE_MAX];
    vec_each (other, &reader->events.items)
        if (other->has_column && other != event && perf_events_alike(other, event))
            return other->column;
    const struct metric *metric =
        recording_add_metric(reader->recording, slice_of(own_title(reader, event, title)),
                             slice_of(perf_event_unit(event)), METRIC_COUNTER);
    return metric ? metric->plus : COL_NONE;
}

enum column perf_reader_column(struct perf_reader *reader, struct perf_event *event)
{
    if (event->has_column)
        return event->column;
    if (reader->chosen < 0)
        reader->chosen = choose_event(reader);
    const struct perf_event *chosen = &reader->events.items.items[reader->chosen];
    bool const is_chosen = event == chosen || perf_events_alike(event, chosen);
    event->column = is_chosen && is_time(chosen) ? COL_CPU_NS : own_column(reader, event);
    event->has_column = true;
    return event->column;
}

int64_t perf_sample_value(const struct perf_event *event, const struct perf_sample *sample)
{
    const struct perf_event_attr *attr = &event->attr;
    uint64_t value = 1;
    if (event->column == COL_CPU_NS && perf_event_measure(event) == PERF_MEASURE_CYCLES)
        return (int64_t)(NS_PER_SECOND / attr->sample_freq);
    if (sample->has_period)
        value = sample->period;
    else if (!attr->freq)
        value = attr->sample_period;
    else if (perf_event_measure(event) == PERF_MEASURE_NS && attr->sample_freq)
        value = NS_PER_SECOND / attr->sample_freq;
    return value > INT64_MAX ? -1 : (int64_t)value;
}
