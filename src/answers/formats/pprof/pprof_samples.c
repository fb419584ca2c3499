/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_samples.h"

#include <errno.h>

#include "formats/pprof/pprof_fields.h"
#include "formats/pprof/pprof_tables.h"

struct pprof_samples_writer {
    struct pprof_samples *samples;
    struct pprof_tables tables;
    struct protobuf_out out, sample, label;
    VEC(uint64_t) ids; /* scratch: locations, comments */
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

static void write_type(struct pprof_samples_writer *writer, unsigned field,
                       struct pprof_column column)
{
    protobuf_reset(&writer->sample);
    protobuf_uint(&writer->sample, VALUE_TYPE_TYPE, pprof_string(&writer->tables, column.type));
    protobuf_uint(&writer->sample, VALUE_TYPE_UNIT, pprof_string(&writer->tables, column.unit));
    protobuf_message(&writer->out, field, &writer->sample);
}

static void collect_locations(struct pprof_samples_writer *writer, stack_id stack)
{
    struct recording *recording = writer->samples->recording;
    writer->ids.count = 0;
    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        uint64_t const id = pprof_location(&writer->tables, link.frame, 0);
        if (id && !vec_push(&writer->ids, id))
            writer->out.failed = true;
        stack = link.caller;
    }
}

static void write_label(struct pprof_samples_writer *writer, const char *name)
{
    protobuf_reset(&writer->label);
    protobuf_uint(&writer->label, LABEL_KEY, pprof_string(&writer->tables, "thread"));
    protobuf_uint(&writer->label, LABEL_TEXT, pprof_string(&writer->tables, name));
    protobuf_message(&writer->sample, SAMPLE_LABEL, &writer->label);
}

static void write_sample(struct pprof_samples_writer *writer, const struct pprof_row *sample)
{
    const struct recording *recording = writer->samples->recording;
    uint64_t values[PPROF_COLUMNS_MOST];
    const char *name = recording_text(recording, name_of(recording, sample->thread));
    for (size_t i = 0; i < writer->samples->column_count; i++)
        values[i] = (uint64_t)sample->values[i];
    collect_locations(writer, sample->stack);
    protobuf_reset(&writer->sample);
    protobuf_packed(&writer->sample, SAMPLE_LOCATION, writer->ids.items, writer->ids.count);
    protobuf_packed(&writer->sample, SAMPLE_VALUE, values, writer->samples->column_count);
    if (name[0])
        write_label(writer, name);
    protobuf_message(&writer->out, PROFILE_SAMPLE, &writer->sample);
}

static void add_comment(struct pprof_samples_writer *writer, const char *text)
{
    uint64_t const id = pprof_string(&writer->tables, text);
    if (id && !vec_push(&writer->ids, id))
        writer->out.failed = true;
}

/* All strings must be there before the tables are written. */
static void collect_comments(struct pprof_samples_writer *writer)
{
    const struct recording *recording = writer->samples->recording;
    writer->ids.count = 0;
    add_comment(writer, "written by memoir " MEMOIR_VERSION);
    add_comment(writer, recording_text(recording, recording->command_line));
    vec_each (note, &recording->notes)
        add_comment(writer, recording_text(recording, *note));
    (void)pprof_string(&writer->tables, writer->samples->period_type.type);
    (void)pprof_string(&writer->tables, writer->samples->period_type.unit);
}

static void write_all(struct pprof_samples_writer *writer)
{
    struct pprof_samples *samples = writer->samples;
    for (size_t i = 0; i < samples->column_count; i++)
        write_type(writer, PROFILE_SAMPLE_TYPE, samples->columns[i]);
    vec_each (sample, &samples->samples)
        write_sample(writer, sample);
    collect_comments(writer);
    pprof_tables_write(&writer->tables, &writer->out);
    protobuf_uint(&writer->out, PROFILE_TIME_NANOS, samples->recording->start_unix_ns);
    protobuf_uint(&writer->out, PROFILE_DURATION_NANOS, samples->duration_ns);
    write_type(writer, PROFILE_PERIOD_TYPE, samples->period_type);
    protobuf_uint(&writer->out, PROFILE_PERIOD, samples->period);
    protobuf_packed(&writer->out, PROFILE_COMMENT, writer->ids.items, writer->ids.count);
}

int pprof_samples_write(struct pprof_samples *samples, struct output *out, struct fault *fault)
{
    struct pprof_samples_writer writer = {.samples = samples};
    int err = 0;
    pprof_samples_merge(samples);
    pprof_tables_init(&writer.tables, samples->recording);
    writer.tables.hides_addresses = samples->hides_addresses;
    if (!writer.tables.failed)
        write_all(&writer);
    if (writer.tables.failed || writer.out.failed || writer.sample.failed || writer.label.failed)
        err = fault_set(fault, -ENOMEM, "Not enough memory to build the profile.");
    else
        output_bytes(out, writer.out.data, writer.out.size);
    pprof_tables_fini(&writer.tables);
    protobuf_fini(&writer.out);
    protobuf_fini(&writer.sample);
    protobuf_fini(&writer.label);
    vec_free(&writer.ids);
    return err;
}
