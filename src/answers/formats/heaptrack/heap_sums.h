/* heap_sums.h - collects the heap columns of a whole recording by stack and bucket. */
#pragma once

#include "formats/heaptrack/block_history.h"
#include "model/recording.h"

struct heap_sums {
    /* sorted by stack, then by slot, which is the index of the bucket */
    VEC(struct stack_sums) sums;
    uint64_t *peak_count, *peak_bytes; /* by stack_id: the pin of the peak */
    uint32_t stack_limit;              /* number of items in both */
    int64_t peak_total;
    size_t peak_bucket; /* SIZE_MAX: no peak was recorded */
    uint64_t peak_ns;
};

/* Collects the sums.  Returns 0 or -errno with a sentence; call heap_sums_fini in both cases. */
int heap_sums_gather(struct recording *recording, struct heap_sums *sums, struct fault *fault);
void heap_sums_fini(struct heap_sums *sums);

/* Makes the runs of all stacks.  The bucket with the peak is split, so later buckets have slot
 * index + 1.  If the time of the peak is at the edge of a bucket, the peak may belong to the
 * neighbour: the bucket that fits the numbers is chosen, and stored in sums->peak_bucket.  Returns
 * 0 or -ENOMEM. */
int heap_sums_to_runs(struct heap_sums *sums, struct block_runs *runs);
