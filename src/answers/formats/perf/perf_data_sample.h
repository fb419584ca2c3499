/* perf_data_sample.h - parses a sample of a perf.data, and the PID, TID and time of other
 * records. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>

#include "formats/perf/perf_data_format.h"

struct perf_sample {
    const struct perf_event_attr *attr; /* attribute that the sample was parsed with */
    uint64_t ip, time, id, period;
    uint32_t pid, tid;
    bool has_time, has_period;
    /* for a group in which only the first event is sampled: counter, id, ... of each event */
    const uint8_t *reads;
    size_t read_count, read_size;
    const uint8_t *chain; /* words, innermost first, with markers for what follows; NULL: none */
    size_t chain_count;
    const uint8_t *branches; /* 24 bytes each: from, to, flags */
    size_t branch_count;
    uint64_t abi; /* of the registers: 0 none, 1 32-bit, 2 64-bit */
    const uint8_t *registers;
    uint64_t register_mask;
    const uint8_t *stack;
    size_t stack_size; /* size of the copied stack */
};

/* Parses a sample; pointers point into the record.  Returns 0; or -EINVAL if the sample does not
 * fit in its record. */
int perf_sample_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                      struct perf_sample *sample);

/* The block at the end of a record that is no sample.  perf_trailer_parse returns its size; 0 if
 * there is none. */
struct perf_trailer {
    uint32_t pid, tid;
    uint64_t time; /* 0: not known */
};
size_t perf_trailer_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                          struct perf_trailer *trailer);
