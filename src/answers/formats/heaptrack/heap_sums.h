/* heap_sums.h - the heap columns of a whole recording, gathered per stack and bucket. */
#pragma once

#include "formats/heaptrack/block_history.h"
#include "model/recording.h"

struct heap_sums {
    VEC(struct stack_sums) sums;       /* by stack, then by slot, which is the bucket's index */
    uint64_t *peak_count, *peak_bytes; /* by stack_id: the pinned peak */
    uint32_t stack_limit;              /* ids below it are valid in both */
    int64_t peak_total;
    size_t peak_bucket; /* SIZE_MAX when no peak was recorded */
    uint64_t peak_ns;
};

/* Returns 0 or -errno with a sentence; either way heap_sums_fini ends it. */
int heap_sums_gather(struct recording *recording, struct heap_sums *sums, struct fault *fault);
void heap_sums_fini(struct heap_sums *sums);

/* The runs of all stacks.  The peak's bucket is cut in two: buckets after it have slot index + 1.
 * A peak stamped at the edge of a bucket may belong to its neighbour; the one that explains the
 * numbers is taken and left in sums->peak_bucket.  Returns 0 or -ENOMEM. */
int heap_sums_to_runs(struct heap_sums *sums, struct block_runs *runs);
