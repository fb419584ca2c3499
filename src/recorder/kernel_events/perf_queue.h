/* perf_queue.h - sorts the perf records of all processors by time.
 *
 * A record is kept until all rings have been read up to the time of the record.  Every event that
 * writes into the rings must have PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_TID and PERF_SAMPLE_TIME, no
 * PERF_SAMPLE_IP, and sample_id_all.  Not thread-safe. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "kernel_events/perf_ring.h"

struct perf_waiting {
    uint64_t time_ns;
    size_t offset, size; /* Position in `bytes` of the queue. */
};

/* All zero to begin, except for `time_from_end`. */
struct perf_queue {
    VEC(struct perf_waiting) waiting;
    VEC(char) bytes;
    uint64_t lost; /* Records that were dropped because memory ran out. */
    /* Distance of the time from the end of a record that is no sample: 16, or 24 if the events also
     * ask for the processor. */
    unsigned time_from_end;
};

/* Reads all rings until they are empty.  0 or -ENOMEM: the next call reads the rest. */
int perf_queue_fill(struct perf_queue *queue, struct perf_ring *rings, unsigned ring_count);

/* Passes each record up to `until_ns` to `each`, in order of time; a record includes its header.
 * `until_ns` must be an instant before the last perf_queue_fill began. */
typedef void (*perf_queue_fn)(void *context, const char *record, size_t size, uint64_t time_ns);
void perf_queue_deliver(struct perf_queue *queue, uint64_t until_ns, perf_queue_fn each,
                        void *context);
void perf_queue_fini(struct perf_queue *queue);
