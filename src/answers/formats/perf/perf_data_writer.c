/* SPDX-License-Identifier: Apache-2.0 */
/* perf_data_writer.c - writes a recording as perf.data, twice: the first time only counts, because
 * the header needs the length of the data. */
#include "formats/perf/perf_data_writer.h"

#include <errno.h>
#include <inttypes.h>

#include "formats/shared/writers.h"

static int write_all(struct perf_writer *writer, struct output *out, struct fault *fault)
{
    int err =
        perf_writer_samples(writer, fault); /* into nothing; finds out whose the threads are */
    if (err < 0)
        return err;
    perf_writer_processes(writer);
    uint64_t const data_size = writer->sink.size;
    writer->sink = (struct perf_data_sink){.out = out};
    perf_writer_header(writer, data_size);
    perf_writer_processes(writer);
    err = perf_writer_samples(writer, fault);
    if (err == 0)
        perf_writer_features(writer);
    return err;
}

/* Where the name of a frame holds in the list; false when perf finds it without. */
static bool is_listed(const struct perf_writer *writer, uint32_t frame, uint64_t *start,
                      uint32_t *size)
{
    const struct frame *found = &writer->job->recording->frames.items[frame];
    if (perf_layout_is_name(&writer->layout, frame)) {
        *start = LAYOUT_NAMES_BASE + (uint64_t)frame * LAYOUT_NAME_BYTES;
        *size = LAYOUT_NAME_BYTES;
        return perf_layout_root(&writer->layout, frame) == 0;
    }
    *start = found->address;
    *size = 2; /* the call, and where it returns to */
    return found->module < writer->layout.modules.count && found->location_count > 0 &&
           writer->layout.modules.items[found->module].is_made;
}

/* Names that perf can only have from a list beside the file. */
static void put_names(struct perf_writer *writer)
{
    const struct recording *recording = writer->job->recording;
    uint64_t names = 0, start;
    uint32_t size;
    for (uint32_t i = 0; i < recording->frames.count; i++) {
        const struct frame *frame = &recording->frames.items[i];
        if (!is_listed(writer, i, &start, &size))
            continue;
        names++;
        if (writer->job->name_list)
            fprintf(writer->job->name_list, "%" PRIx64 " %x %s\n", start, size,
                    recording_text(recording,
                                   recording->locations.items[frame->first_location].function));
    }
    if (names && !writer->job->name_list)
        export_note(writer->job,
                    "%" PRIu64
                    " frames have names that perf.data cannot hold: --name-list puts them "
                    "where perf looks for them",
                    names);
}

int perf_write(struct export_job *job, struct output *out, struct fault *fault)
{
    struct perf_writer writer = {.job = job};
    bool const has_time = recording_is_of_time(job->recording) || job->recording->timing.hz;
    const struct metric *metric =
        job->metric ? job->metric : metric_find(has_time ? "cpu.on" : "heap.allocated");
    writer.is_time = metric->plus == COL_CPU_NS || metric->plus == COL_OFFCPU_NS;
    writer.has_buckets = writer.is_time || metric_is_own(metric);
    writer.column = metric->plus;
    writer.count = metric->count_plus;
    int err = export_weigh(job, metric, &writer.weights, fault);
    if (err < 0)
        return err;
    vec_each (row, &writer.weights.rows) {
        uint32_t *known = number_map_at(&writer.kept, (uint64_t)row->key + 1);
        if (known)
            *known = 1;
        else
            err = -ENOMEM;
    }
    if (err < 0 || perf_layout_init(&writer.layout, job->recording) < 0)
        err = fault_set(fault, -ENOMEM, "not enough memory to write the export");
    else
        err = write_all(&writer, out, fault);
    if (err == 0)
        put_names(&writer);
    if (!writer.has_buckets && err == 0)
        export_note(job, "each stack is one sample whose period is its %s", metric->unit);
    perf_layout_fini(&writer.layout);
    number_map_fini(&writer.kept);
    number_map_fini(&writer.uses);
    number_map_fini(&writer.thread_pids);
    weights_fini(&writer.weights);
    return err;
}
