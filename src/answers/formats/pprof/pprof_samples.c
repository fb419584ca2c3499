/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_samples.h"

#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_out.h"

struct pprof_samples_writer {
    struct pprof_samples *samples;
    struct pprof_out out;
};

static string_id name_of(const struct recording *recording, uint32_t thread)
{
    return thread < recording->threads.count ? recording->threads.items[thread].name : STRING_EMPTY;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct pprof_row *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    string_id const x = name_of(context, a->thread), y = name_of(context, b->thread);
    return x < y ? -1 : x > y;
}

void pprof_samples_merge(struct pprof_samples *samples)
{
    struct pprof_row *items = samples->samples.items;
    size_t kept = 0;
    if (!samples->samples.count)
        return;
    qsort_r(items, samples->samples.count, sizeof(*items), compare, samples->recording);
    for (size_t i = 1; i < samples->samples.count; i++)
        if (compare(&items[kept], &items[i], samples->recording) == 0)
            for (size_t k = 0; k < samples->column_count; k++)
                items[kept].values[k] += items[i].values[k];
        else
            items[++kept] = items[i];
    samples->samples.count = kept + 1;
}

static void collect_locations(struct pprof_samples_writer *writer, stack_id stack)
{
    struct recording *recording = writer->samples->recording;
    writer->out.ids.count = 0;
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        uint64_t const id = pprof_location(&writer->out.tables, link.frame, 0);
        if (id && !vec_push(&writer->out.ids, id))
            writer->out.profile.failed = true;
        stack = link.caller;
    }
}

static void write_label(struct pprof_samples_writer *writer, const char *name)
{
    protobuf_reset(&writer->out.label);
    protobuf_uint(&writer->out.label, LABEL_KEY, pprof_string(&writer->out.tables, "thread"));
    protobuf_uint(&writer->out.label, LABEL_TEXT, pprof_string(&writer->out.tables, name));
    protobuf_message(&writer->out.sample, SAMPLE_LABEL, &writer->out.label);
}

static void write_sample(struct pprof_samples_writer *writer, const struct pprof_row *sample)
{
    const struct recording *recording = writer->samples->recording;
    uint64_t values[PPROF_COLUMNS_MOST];
    const char *name = recording_text(recording, name_of(recording, sample->thread));
    for (size_t i = 0; i < writer->samples->column_count; i++)
        values[i] = (uint64_t)sample->values[i];
    collect_locations(writer, sample->stack);
    protobuf_reset(&writer->out.sample);
    protobuf_packed(&writer->out.sample, SAMPLE_LOCATION, writer->out.ids.items,
                    writer->out.ids.count);
    protobuf_packed(&writer->out.sample, SAMPLE_VALUE, values, writer->samples->column_count);
    if (name[0])
        write_label(writer, name);
    protobuf_message(&writer->out.profile, PROFILE_SAMPLE, &writer->out.sample);
}

static void add_comment(struct pprof_samples_writer *writer, const char *text)
{
    uint64_t const id = pprof_string(&writer->out.tables, text);
    if (id && !vec_push(&writer->out.ids, id))
        writer->out.profile.failed = true;
}

/* All strings must be there before the tables are written. */
static void collect_comments(struct pprof_samples_writer *writer)
{
    const struct recording *recording = writer->samples->recording;
    writer->out.ids.count = 0;
    add_comment(writer, "written by memoir " MEMOIR_VERSION);
    add_comment(writer, recording_text(recording, recording->command_line));
    vec_each (note, &recording->notes)
        add_comment(writer, recording_text(recording, *note));
    (void)pprof_string(&writer->out.tables, writer->samples->period_type.type);
    (void)pprof_string(&writer->out.tables, writer->samples->period_type.unit);
}

static void write_all(struct pprof_samples_writer *writer)
{
    struct pprof_samples *samples = writer->samples;
    for (size_t i = 0; i < samples->column_count; i++)
        pprof_out_type(&writer->out, PROFILE_SAMPLE_TYPE, samples->columns[i].type,
                       samples->columns[i].unit);
    vec_each (sample, &samples->samples)
        write_sample(writer, sample);
    collect_comments(writer);
    pprof_tables_write(&writer->out.tables, &writer->out.profile);
    protobuf_uint(&writer->out.profile, PROFILE_TIME_NANOS, samples->recording->start_unix_ns);
    protobuf_uint(&writer->out.profile, PROFILE_DURATION_NANOS, samples->duration_ns);
    pprof_out_type(&writer->out, PROFILE_PERIOD_TYPE, samples->period_type.type,
                   samples->period_type.unit);
    protobuf_uint(&writer->out.profile, PROFILE_PERIOD, samples->period);
    protobuf_packed(&writer->out.profile, PROFILE_COMMENT, writer->out.ids.items,
                    writer->out.ids.count);
}

int pprof_samples_write(struct pprof_samples *samples, struct output *out, struct fault *fault)
{
    struct pprof_samples_writer writer = {.samples = samples};
    pprof_samples_merge(samples);
    pprof_out_init(&writer.out, samples->recording, samples->hides_addresses);
    if (!writer.out.tables.failed)
        write_all(&writer);
    int const err = pprof_out_put(&writer.out, out, fault);
    pprof_out_fini(&writer.out);
    return err;
}
