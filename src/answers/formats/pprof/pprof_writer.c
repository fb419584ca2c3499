/* SPDX-License-Identifier: Apache-2.0 */
/* pprof_writer.c - writes profile.proto; docs/formats.md says what its columns mean. */
#include <string.h>

#include "base/clock.h"
#include "formats/shared/asking_stack.h"
#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_sources.h"
#include "formats/pprof/pprof_out.h"
#include "formats/shared/writers.h"

struct pprof_writer {
    struct export_job *job;
    struct pprof_out out;
    struct pprof_sources sources;
    size_t next_labelled; /* of the recording's: the first of this stack or later */
};

static bool collect_locations(struct pprof_writer *profile, stack_id stack)
{
    struct recording *recording = profile->job->recording;
    struct asking_stack const asking = profile->sources.hides_allocator
                                           ? asking_stack(recording, stack)
                                           : (struct asking_stack){stack, 0};
    size_t hidden = asking.hidden_lines;
    profile->out.ids.count = 0;
    for (stack_id at = asking.stack; at != STACK_EMPTY;) {
        struct stack_link link = stack_table_innermost(recording->stacks, at);
        uint64_t id = pprof_location(&profile->out.tables, link.frame, hidden);
        if (id && !vec_push(&profile->out.ids, id))
            return false;
        hidden = 0;
        at = link.caller;
    }
    return true;
}

static void write_label(struct pprof_writer *profile, const struct label *label)
{
    const struct recording *recording = profile->job->recording;
    struct pprof_tables *tables = &profile->out.tables;
    protobuf_reset(&profile->out.label);
    protobuf_uint(&profile->out.label, LABEL_KEY,
                  pprof_string(tables, recording_text(recording, label->key)));
    protobuf_uint(&profile->out.label, LABEL_TEXT,
                  pprof_string(tables, recording_text(recording, label->text)));
    protobuf_uint(&profile->out.label, LABEL_NUMBER, (uint64_t)label->number);
    protobuf_uint(&profile->out.label, LABEL_UNIT,
                  pprof_string(tables, recording_text(recording, label->unit)));
    protobuf_message(&profile->out.sample, SAMPLE_LABEL, &profile->out.label);
}

/* The locations are collected already.  `set` NULL: it has no labels. */
static void write_sample(struct pprof_writer *profile, const struct weight *rows,
                         const struct label_set *set)
{
    uint64_t values[2 * PPROF_SOURCES_MAX];
    size_t const count = pprof_sources_values(&profile->sources, rows, values);
    bool is_empty = true;
    for (size_t i = 0; i < count; i++)
        is_empty &= values[i] == 0;
    if (is_empty)
        return;
    protobuf_reset(&profile->out.sample);
    protobuf_packed(&profile->out.sample, SAMPLE_LOCATION, profile->out.ids.items,
                    profile->out.ids.count);
    protobuf_packed(&profile->out.sample, SAMPLE_VALUE, values, count);
    for (uint32_t i = 0; set && i < set->count; i++)
        write_label(profile, &profile->job->recording->labelled.labels.items[set->first + i]);
    protobuf_message(&profile->out.profile, PROFILE_SAMPLE, &profile->out.sample);
}

/* sum + sign * value; nonsense wraps instead of trapping. */
static void add(int64_t *sum, int64_t value, int sign)
{
    uint64_t const part = sign < 0 ? 0 - (uint64_t)value : sign > 0 ? (uint64_t)value : 0;
    *sum = (int64_t)((uint64_t)*sum + part);
}

/* What a cell adds to each column; it is taken off what has no labels. */
static void move_cell(const struct pprof_sources *sources, const struct labelled_cell *cell,
                      struct weight *labelled, struct weight *rest)
{
    for (size_t i = 0; i < sources->count; i++) {
        const struct metric *metric = sources->items[i].metric;
        if (metric->kind == METRIC_PINNED)
            continue;
        int const sign = metric_sign(metric, cell->column);
        int const count_sign = cell->column == metric->count_plus    ? 1
                               : cell->column == metric->count_minus ? -1
                                                                     : 0;
        add(&labelled[i].value, cell->value, sign);
        add(&labelled[i].count, cell->value, count_sign);
        add(&rest[i].value, cell->value, -sign);
        add(&rest[i].count, cell->value, -count_sign);
    }
}

/* Those parts of a stack that have labels, a sample per set of them; `rest` is left with what
 * has none. */
static void write_labelled(struct pprof_writer *profile, stack_id stack, struct weight *rest)
{
    const struct labelled *labelled = &profile->job->recording->labelled;
    const struct labelled_cell *cells = labelled->cells.items;
    size_t at = profile->next_labelled;
    while (at < labelled->cells.count && cells[at].stack < stack)
        at++;
    while (at < labelled->cells.count && cells[at].stack == stack) {
        struct weight rows[PPROF_SOURCES_MAX] = {0};
        uint32_t const set = cells[at].set;
        for (; at < labelled->cells.count && cells[at].stack == stack && cells[at].set == set; at++)
            move_cell(&profile->sources, &cells[at], rows, rest);
        write_sample(profile, rows, &labelled->sets.items[set]);
    }
    profile->next_labelled = at;
}

static void write_stack(struct pprof_writer *profile, stack_id stack, struct weight *rows)
{
    if (!collect_locations(profile, stack)) {
        profile->out.profile.failed = true;
        return;
    }
    if (profile->sources.is_whole)
        write_labelled(profile, stack, rows);
    write_sample(profile, rows, NULL);
}

/* All weights are ordered by stack: one walk over them side by side. */
static void write_samples(struct pprof_writer *profile)
{
    const struct pprof_sources *sources = &profile->sources;
    size_t next[PPROF_SOURCES_MAX] = {0};
    for (;;) {
        uint32_t stack = UINT32_MAX;
        struct weight rows[PPROF_SOURCES_MAX] = {0};
        for (size_t i = 0; i < sources->count; i++)
            if (next[i] < sources->items[i].weights.rows.count &&
                sources->items[i].weights.rows.items[next[i]].key < stack)
                stack = sources->items[i].weights.rows.items[next[i]].key;
        if (stack == UINT32_MAX)
            return;
        for (size_t i = 0; i < sources->count; i++) {
            const struct weights *weights = &sources->items[i].weights;
            if (next[i] < weights->rows.count && weights->rows.items[next[i]].key == stack)
                rows[i] = weights->rows.items[next[i]++];
        }
        write_stack(profile, stack, rows);
    }
}

/* What one sample stands for. */
struct period {
    const char *type, *unit;
    uint64_t period;
};

static struct period period_of(const struct pprof_writer *profile)
{
    const struct recording *recording = profile->job->recording;
    const struct pprof_source *first = &profile->sources.items[0];
    uint64_t const rate = recording->quality.sample_rate, hz = recording->timing.hz;
    if (first->metric->plus == COL_CPU_NS && hz > 0)
        return (struct period){"cpu", "nanoseconds", NS_PER_SECOND / hz};
    if (strcmp(first->value_unit, "bytes") == 0)
        return (struct period){"space", "bytes", rate ? rate : 1};
    return (struct period){first->value_type, first->value_unit, 1};
}

static void write_profile(struct pprof_writer *profile)
{
    const struct recording *recording = profile->job->recording;
    const struct pprof_sources *sources = &profile->sources;
    struct pprof_tables *tables = &profile->out.tables;
    struct protobuf_out *out = &profile->out.profile;
    struct period const period = period_of(profile);
    for (size_t i = 0; i < sources->count; i++) {
        const struct pprof_source *source = &sources->items[i];
        if (source->count_type[0])
            pprof_out_type(&profile->out, PROFILE_SAMPLE_TYPE, source->count_type, "count");
        pprof_out_type(&profile->out, PROFILE_SAMPLE_TYPE, source->value_type, source->value_unit);
    }
    write_samples(profile);
    uint64_t made_by = pprof_string(tables, "written by memoir " MEMOIR_VERSION);
    uint64_t command = pprof_string(tables, recording_text(recording, recording->command_line));
    uint64_t losses = pprof_string(tables, export_losses(profile->job));
    uint64_t first = sources->shown_first ? pprof_string(tables, sources->shown_first) : 0;
    pprof_string(tables, period.unit); /* must be there before the tables are written */
    pprof_string(tables, period.type);
    pprof_tables_write(tables, out);
    protobuf_uint(out, PROFILE_TIME_NANOS, recording->start_unix_ns + sources->used.from_ns);
    uint64_t const length = sources->used.to_ns - sources->used.from_ns;
    protobuf_uint(out, PROFILE_DURATION_NANOS, length > 1 ? length : 0); /* 1: it has no time */
    pprof_out_type(&profile->out, PROFILE_PERIOD_TYPE, period.type, period.unit);
    protobuf_uint(out, PROFILE_PERIOD, period.period);
    uint64_t comments[3] = {made_by};
    size_t comment_count = 1;
    if (command)
        comments[comment_count++] = command;
    if (losses)
        comments[comment_count++] = losses;
    protobuf_packed(out, PROFILE_COMMENT, comments, comment_count);
    protobuf_uint(out, PROFILE_DEFAULT_SAMPLE_TYPE, first);
}

int pprof_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct pprof_writer profile = {.job = job};
    pprof_out_init(&profile.out, job->recording, job->hides_addresses);
    int err = pprof_sources_choose(&profile.sources, job, fault);
    if (err == 0) {
        if (!profile.out.tables.failed)
            write_profile(&profile);
        err = pprof_out_put(&profile.out, out, fault);
    }
    pprof_sources_fini(&profile.sources);
    pprof_out_fini(&profile.out);
    return err;
}
