/* SPDX-License-Identifier: Apache-2.0 */
/* profile.proto: see docs/formats.md for what its columns mean. */
#include <errno.h>
#include <string.h>

#include "formats/asking_stack.h"
#include "formats/pprof_fields.h"
#include "formats/pprof_tables.h"
#include "formats/writers.h"

/* One metric and the two columns it fills: its count, then its value. */
struct pprof_source {
    const char *metric;
    const char *count_type, *value_type, *value_unit;
};

/* The last column is what viewers show unasked: what is in use. */
static const struct pprof_source heap_sources[] = {
    {"heap.allocated", "alloc_objects", "alloc_space", "bytes"},
    {"heap.peak", "peak_objects", "peak_space", "bytes"},
    {"heap.live", "inuse_objects", "inuse_space", "bytes"},
};
#define SOURCES_MAX 3
#define COLUMNS_MAX (2 * SOURCES_MAX)

struct pprof_profile {
    struct export_job *job;
    struct pprof_tables tables;
    struct protobuf_out out, sample;
    VEC(uint64_t) location_ids;
    size_t source_count;
    struct pprof_source sources[SOURCES_MAX];
    struct weights weights[SOURCES_MAX];
    struct time_range used;
    const char *shown_first; /* a column; NULL: the last one */
    char made_up[64];        /* a name for the count column of a metric of its own */
};

static int add_source(struct pprof_profile *profile, struct pprof_source source,
                      struct fault *fault)
{
    size_t at = profile->source_count;
    int err = export_weigh(profile->job, recording_metric(profile->job->recording, source.metric),
                           &profile->weights[at], fault);
    if (err)
        return err;
    profile->sources[at] = source;
    profile->source_count++;
    if (profile->weights[at].metric->kind != METRIC_PINNED)
        profile->used = profile->weights[at].used;
    return 0;
}

/* A range without the peak in it has no peak columns, which is fine unless they were asked for. */
static int add_heap_sources(struct pprof_profile *profile, struct fault *fault)
{
    const struct metric *asked = profile->job->metric;
    for (size_t i = 0; i < SOURCES_MAX; i++) {
        struct fault why = {.text = ""};
        bool is_peak = strcmp(heap_sources[i].metric, "heap.peak") == 0;
        if (is_peak && profile->job->leaves_out_peak)
            continue;
        int err = add_source(profile, heap_sources[i], &why);
        bool is_asked = asked && strcmp(asked->name, "heap.peak") == 0;
        if (err && is_peak && !is_asked && err != -ENOMEM)
            export_note(profile->job, "there are no peak columns: %s", why.text);
        else if (err)
            return fault_set(fault, err, "%s", why.text);
    }
    return 0;
}

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

static int add_sources(struct pprof_profile *profile, struct fault *fault)
{
    const struct metric *metric = profile->job->metric;
    profile->shown_first = metric ? heap_column(metric) : NULL;
    if (!metric || profile->shown_first)
        return add_heap_sources(profile, fault);
    const char *unit = strcmp(metric->unit, "ns") == 0      ? "nanoseconds"
                       : strcmp(metric->unit, "calls") == 0 ? "count"
                                                            : metric->unit;
    snprintf(profile->made_up, sizeof(profile->made_up), "%s.count", metric->name);
    return add_source(
        profile, (struct pprof_source){metric->name, profile->made_up, metric->name, unit}, fault);
}

static void write_value_type(struct pprof_profile *profile, unsigned field, const char *type,
                             const char *unit)
{
    protobuf_reset(&profile->sample);
    protobuf_uint(&profile->sample, VALUE_TYPE_TYPE, pprof_string(&profile->tables, type));
    protobuf_uint(&profile->sample, VALUE_TYPE_UNIT, pprof_string(&profile->tables, unit));
    protobuf_message(&profile->out, field, &profile->sample);
}

static bool collect_locations(struct pprof_profile *profile, stack_id stack)
{
    struct recording *recording = profile->job->recording;
    struct asking_stack asking = asking_stack(recording, stack);
    size_t hidden = asking.hidden_lines;
    profile->location_ids.count = 0;
    for (stack_id at = asking.stack; at != STACK_EMPTY;) {
        struct stack_link link = stack_table_innermost(recording->stacks, at);
        uint64_t id = pprof_location(&profile->tables, link.frame, hidden);
        if (id && !vec_push(&profile->location_ids, id))
            return false;
        hidden = 0;
        at = link.caller;
    }
    return true;
}

static void write_sample(struct pprof_profile *profile, stack_id stack, const uint64_t *values)
{
    if (!collect_locations(profile, stack)) {
        profile->out.failed = true;
        return;
    }
    protobuf_reset(&profile->sample);
    protobuf_packed(&profile->sample, SAMPLE_LOCATION, profile->location_ids.items,
                    profile->location_ids.count);
    protobuf_packed(&profile->sample, SAMPLE_VALUE, values, 2 * profile->source_count);
    protobuf_message(&profile->out, PROFILE_SAMPLE, &profile->sample);
}

/* All weights are ordered by stack: one walk over them side by side. */
static void write_samples(struct pprof_profile *profile)
{
    size_t next[SOURCES_MAX] = {0};
    for (;;) {
        uint32_t stack = UINT32_MAX;
        uint64_t values[COLUMNS_MAX] = {0};
        for (size_t i = 0; i < profile->source_count; i++)
            if (next[i] < profile->weights[i].rows.count &&
                profile->weights[i].rows.items[next[i]].key < stack)
                stack = profile->weights[i].rows.items[next[i]].key;
        if (stack == UINT32_MAX)
            return;
        for (size_t i = 0; i < profile->source_count; i++) {
            if (next[i] == profile->weights[i].rows.count)
                continue;
            const struct weight *row = &profile->weights[i].rows.items[next[i]];
            if (row->key != stack)
                continue;
            values[2 * i] = (uint64_t)row->count;
            values[2 * i + 1] = (uint64_t)row->value;
            next[i]++;
        }
        write_sample(profile, stack, values);
    }
}

static void write_profile(struct pprof_profile *profile)
{
    const struct recording *recording = profile->job->recording;
    struct pprof_tables *tables = &profile->tables;
    struct protobuf_out *out = &profile->out;
    for (size_t i = 0; i < profile->source_count; i++) {
        const struct pprof_source *source = &profile->sources[i];
        write_value_type(profile, PROFILE_SAMPLE_TYPE, source->count_type, "count");
        write_value_type(profile, PROFILE_SAMPLE_TYPE, source->value_type, source->value_unit);
    }
    write_samples(profile);
    uint64_t made_by = pprof_string(tables, "written by memoir " MEMOIR_VERSION);
    uint64_t command = pprof_string(tables, recording_text(recording, recording->command_line));
    uint64_t first = profile->shown_first ? pprof_string(tables, profile->shown_first) : 0;
    pprof_string(tables, profile->sources[0].value_unit); /* for the period, below */
    pprof_string(tables, "space");
    pprof_tables_write(tables, out);
    protobuf_uint(out, PROFILE_TIME_NANOS, recording->start_unix_ns + profile->used.from_ns);
    protobuf_uint(out, PROFILE_DURATION_NANOS, profile->used.to_ns - profile->used.from_ns);
    write_value_type(profile, PROFILE_PERIOD_TYPE, "space", profile->sources[0].value_unit);
    protobuf_uint(out, PROFILE_PERIOD,
                  recording->quality.sample_rate ? recording->quality.sample_rate : 1);
    const uint64_t comments[] = {made_by, command};
    protobuf_packed(out, PROFILE_COMMENT, comments, command ? 2 : 1);
    protobuf_uint(out, PROFILE_DEFAULT_SAMPLE_TYPE, first);
}

int pprof_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct pprof_profile profile = {.job = job};
    pprof_tables_init(&profile.tables, job->recording);
    profile.tables.hides_addresses = job->hides_addresses;
    int err = add_sources(&profile, fault);
    if (err == 0) {
        if (!profile.tables.failed)
            write_profile(&profile);
        if (profile.tables.failed || profile.out.failed || profile.sample.failed)
            err = fault_set(fault, -ENOMEM, "Not enough memory to build the profile.");
        else
            output_bytes(out, profile.out.data, profile.out.size);
    }
    for (size_t i = 0; i < profile.source_count; i++)
        weights_fini(&profile.weights[i]);
    pprof_tables_fini(&profile.tables);
    protobuf_fini(&profile.out);
    protobuf_fini(&profile.sample);
    vec_free(&profile.location_ids);
    return err;
}
