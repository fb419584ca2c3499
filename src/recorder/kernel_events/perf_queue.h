/* perf_queue.h - what the kernel writes into the rings of all processors, in order of time.
 *
 * Records are put aside until all rings are at their time.  Every event that writes into the rings has PERF_SAMPLE_IDENTIFIER,
 * PERF_SAMPLE_TID and PERF_SAMPLE_TIME, no PERF_SAMPLE_IP, and sample_id_all.  Not thread-safe. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "kernel_events/perf_ring.h"

struct perf_waiting {
    uint64_t time_ns;
    size_t offset, size; /* in `bytes` */
};

/* All zero to begin, but for `time_from_end`. */
struct perf_queue {
    VEC(struct perf_waiting) waiting;
    VEC(char) bytes;
    uint64_t lost; /* records, for lack of memory */
    unsigned
        time_from_end; /* where records other than samples have their time, by what their events ask for: 16, with the processor 24 */
};

/* Reads all that is there.  0 or -ENOMEM: the rest is read the next time. */
int perf_queue_fill(struct perf_queue *queue, struct perf_ring *rings, unsigned ring_count);

/* Hands what is not younger than `until_ns`, which must be from before the rings were read, to `each`: a whole record with its header. */
typedef void (*perf_queue_fn)(void *context, const char *record, size_t size, uint64_t time_ns);
void perf_queue_deliver(struct perf_queue *queue, uint64_t until_ns, perf_queue_fn each,
                        void *context);
void perf_queue_fini(struct perf_queue *queue);
