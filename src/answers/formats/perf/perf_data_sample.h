/* perf_data_sample.h - one sample of a perf.data, and what other records say about whose they
 * are and when. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>

#include "formats/perf/perf_data_format.h"

struct perf_sample {
    const struct perf_event_attr *attr; /* as which it was read */
    uint64_t ip, time, id, period;
    uint32_t pid, tid;
    bool has_time, has_period;
    /* of a group whose first event alone is sampled: counter, id, ... of each */
    const uint8_t *reads;
    size_t read_count, read_size;
    const uint8_t *chain; /* words, innermost first, with marks of what follows; NULL: none */
    size_t chain_count;
    const uint8_t *branches; /* 24 bytes each: from, to, flags */
    size_t branch_count;
    uint64_t abi; /* of the registers: 0 none, 1 of 32 bits, 2 of 64 */
    const uint8_t *registers;
    uint64_t register_mask;
    const uint8_t *stack;
    size_t stack_size; /* that was copied */
};

/* What the record has of it; pointers into the record.  Returns 0 or -EINVAL when it does not fit
 * its record. */
int perf_sample_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                      struct perf_sample *sample);

/* The block at the end of a record that is no sample; its size, 0 when there is none. */
struct perf_trailer {
    uint32_t pid, tid;
    uint64_t time; /* 0 when not told */
};
size_t perf_trailer_parse(const struct perf_event_attr *attr, const struct perf_record *record,
                          struct perf_trailer *trailer);
