/* perf_data_reader.h - inside the reader of perf.data: what its parts share. */
#pragma once

#include "formats/perf/moment_series.h"
#include "formats/perf/perf_data_events.h"
#include "formats/perf/perf_data_facts.h"
#include "formats/perf/perf_data_kernel.h"
#include "formats/perf/perf_data_order.h"
#include "formats/perf/perf_data_processes.h"
#include "formats/perf/perf_data_stacks.h"
#include "formats/perf/perf_data_stream.h"

struct perf_reader {
    struct recording *recording;
    struct perf_bytes bytes;
    struct perf_data_events events;
    struct perf_facts facts;
    struct perf_processes processes;
    struct perf_kernel kernel;
    struct perf_stacks stacks;
    struct perf_order order;
    struct moment_series series;

    /* is_unfinished: the recorder was killed before it wrote the size of the data */
    bool is_pipe, is_unfinished;
    uint64_t data_offset, data_size;
    uint64_t features[PERF_FEATURE_WORDS];

    /* index of the event that is shown by default, or of the first of several equal ones; -1: not
     * known yet */
    int chosen;
    uint32_t first_pid; /* of the first sample */
    uint64_t first_ns;  /* the time of the first sample; 0: none yet */
    /* number of samples; of these, samples of the event that is time */
    uint64_t samples, time_samples;
    uint64_t in_kernel, kernel_unnamed; /* of the samples of time */
    uint64_t idle, idle_value;
    uint64_t lost, throttled;
    uint64_t timeless; /* samples without a time */
    uint64_t damaged;  /* number of invalid records */
};

/* Reads the header, the events and the features of the file.  Returns 0 or -errno with a
 * sentence. */
int perf_reader_open(struct perf_reader *reader, struct fault *fault);

/* The column for samples of an event, and the value of one sample; -1: no value. */
enum column perf_reader_column(struct perf_reader *reader, struct perf_event *event);
int64_t perf_sample_value(const struct perf_event *event, const struct perf_sample *sample);

/* Handles one record; call it in order of time.  Returns 0 or -ENOMEM. */
int perf_reader_book(struct perf_reader *reader, const struct perf_record *record);

/* Sets the facts of the recording, and adds the notes about the file. */
void perf_reader_tell(struct perf_reader *reader, const struct perf_stream *stream);
