/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct known_source {
    const char *metric, *count_type, *value_type, *value_unit;
};

/* The last column is what viewers show unasked: what is in use. */
static const struct known_source heap_sources[] = {
    {"heap.allocated", "alloc_objects", "alloc_space", "bytes"},
    {"heap.peak", "peak_objects", "peak_space", "bytes"},
    {"heap.live", "inuse_objects", "inuse_space", "bytes"},
};
static const struct known_source time_sources[] = {
    {"cpu.on", "samples", "cpu", "nanoseconds"},
    {"cpu.off", "contentions", "delay", "nanoseconds"},
};

/* Which heap column a metric is; NULL when it is none. */
static const char *heap_column(const struct metric *metric)
{
    static const struct {
        const char *metric, *column;
    } columns[] = {
        {"heap.peak", "peak_space"},     {"heap.leaked", "inuse_space"},
        {"heap.live", "inuse_space"},    {"heap.allocated", "alloc_space"},
        {"heap.calls", "alloc_objects"},
    };
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (strcmp(metric->name, columns[i].metric) == 0)
            return columns[i].column;
    return NULL;
}

static const char *unit_of(const struct metric *metric)
{
    return strcmp(metric->unit, "ns") == 0                                       ? "nanoseconds"
           : strcmp(metric->unit, "calls") == 0 || strcmp(metric->unit, "") == 0 ? "count"
                                                                                 : metric->unit;
}

static int add(struct pprof_sources *sources, struct export_job *job, struct pprof_source source,
               struct fault *fault)
{
    struct pprof_source *made = &sources->items[sources->count];
    *made = source;
    int const err = export_weigh(job, made->metric, &made->weights, fault);
    if (err)
        return err;
    sources->count++;
    if (made->metric->kind != METRIC_PINNED)
        sources->used = made->weights.used;
    return 0;
}

static int add_known(struct pprof_sources *sources, struct export_job *job,
                     const struct known_source *known, struct fault *fault)
{
    struct pprof_source source = {.metric = metric_find(known->metric),
                                  .value_type = known->value_type,
                                  .value_unit = known->value_unit};
    snprintf(source.count_type, sizeof(source.count_type), "%s", known->count_type);
    return add(sources, job, source, fault);
}

/* A range without the peak in it has no peak columns, which is fine unless they were asked for. */
static int add_heap(struct pprof_sources *sources, struct export_job *job, struct fault *fault)
{
    bool const is_asked = job->metric && strcmp(job->metric->name, "heap.peak") == 0;
    for (size_t i = 0; i < sizeof(heap_sources) / sizeof(heap_sources[0]); i++) {
        struct fault why = {.text = ""};
        bool const is_peak = strcmp(heap_sources[i].metric, "heap.peak") == 0;
        bool const is_live = strcmp(heap_sources[i].metric, "heap.live") == 0;
        if (!is_peak && sources->is_whole && !recording_traces_heap(job->recording))
            continue; /* the peak is all it has */
        if (!is_peak && !(is_live ? recording_knows_live(job->recording)
                                  : recording_knows_allocated(job->recording)))
            continue;
        if (is_peak && (job->leaves_out_peak ||
                        (sources->is_whole && !recording_pin(job->recording, PIN_PEAK))))
            continue;
        struct known_source known = heap_sources[i];
        if (is_live && job->metric && strcmp(job->metric->name, "heap.leaked") == 0)
            known.metric = job->metric->name; /* without what is suppressed, as everywhere */
        int const err = add_known(sources, job, &known, &why);
        if (err && is_peak && !is_asked && err != -ENOMEM)
            export_note(job, "there are no peak columns: %s", why.text);
        else if (err)
            return fault_set(fault, err, "%s", why.text);
    }
    return 0;
}

static int add_time(struct pprof_sources *sources, struct export_job *job, struct fault *fault)
{
    for (size_t i = 0; i < sizeof(time_sources) / sizeof(time_sources[0]); i++) {
        int const err = add_known(sources, job, &time_sources[i], fault);
        if (err)
            return err;
        if (sources->items[sources->count - 1].weights.rows.count == 0)
            weights_fini(&sources->items[--sources->count].weights);
    }
    return 0;
}

/* Of a metric of its own, under its name. */
static int add_named(struct pprof_sources *sources, struct export_job *job,
                     const struct metric *metric, struct fault *fault)
{
    struct pprof_source source = {
        .metric = metric, .value_type = metric->name, .value_unit = unit_of(metric)};
    if (metric_counts(metric) || !metric_is_own(metric))
        snprintf(source.count_type, sizeof(source.count_type), "%.50s.count", metric->name);
    return add(sources, job, source, fault);
}

/* What a file of another program has, whatever it is. */
static int add_whole(struct pprof_sources *sources, struct export_job *job, struct fault *fault)
{
    const struct recording *recording = job->recording;
    bool const has_heap = recording_traces_heap(recording) || recording_pin(recording, PIN_PEAK);
    int err = has_heap ? add_heap(sources, job, fault) : 0;
    if (!err)
        err = add_time(sources, job, fault);
    for (unsigned i = 0; i < recording->own_metric_count && !err; i++)
        err = add_named(sources, job, &recording->own_metrics[i], fault);
    return err;
}

static const struct pprof_source *find(const struct pprof_sources *sources,
                                       const struct metric *metric)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->items[i].metric == metric)
            return &sources->items[i];
    return NULL;
}

int pprof_sources_choose(struct pprof_sources *sources, struct export_job *job, struct fault *fault)
{
    const struct recording *recording = job->recording;
    const struct metric *metric = job->metric;
    *sources = (struct pprof_sources){0};
    bool const is_heap = !metric || heap_column(metric);
    bool const is_time =
        metric && (metric == metric_find("cpu.on") || metric == metric_find("cpu.off"));
    sources->is_whole = (recording_is_of_profiles(recording) || recording->own_metric_count) &&
                        (is_heap || is_time || metric_is_own(metric));
    sources->hides_allocator = !sources->is_whole && !(metric && metric_shows_allocator(metric));
    int err = sources->is_whole ? add_whole(sources, job, fault)
              : is_heap         ? add_heap(sources, job, fault)
                                : add_named(sources, job, metric, fault);
    if (err)
        return err;
    if (!metric && recording->shown_metric)
        metric = recording_metric(recording, recording_text(recording, recording->shown_metric));
    const struct pprof_source *shown = metric ? find(sources, metric) : NULL;
    if (metric && heap_column(metric))
        sources->shown_first = heap_column(metric);
    else if (sources->is_whole && shown)
        sources->shown_first = shown->value_type;
    return sources->count ? 0
                          : fault_set(fault, -ENODATA, "there is nothing in it that pprof shows");
}

void pprof_sources_fini(struct pprof_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        weights_fini(&sources->items[i].weights);
    sources->count = 0;
}

size_t pprof_sources_values(const struct pprof_sources *sources, const struct weight *rows,
                            uint64_t *values)
{
    size_t used = 0;
    for (size_t i = 0; i < sources->count; i++) {
        if (sources->items[i].count_type[0])
            values[used++] = (uint64_t)rows[i].count;
        values[used++] = (uint64_t)rows[i].value;
    }
    return used;
}
