/* owners_curve.h - the parts of the resident memory over time: one instant per look at the pages. */
#pragma once

#include "analyze/memory/explain.h"

struct owners_instant {
    uint64_t time_ns;        /* end of the bucket that the look is in */
    int64_t heap_live_bytes; /* heap.live then */
    int64_t bytes[EXPLAINED_PARTS_MAX];
};

struct owners_curve {
    VEC(struct owners_instant) instants; /* by time */
    const struct owner_words *words;     /* of the parts, the same as explain_parts has */
    size_t part_count;
};

/* Of the whole recording, with at most `most` (at least 2) instants: some are left out evenly, never the first and the last.
 * Looks that found nothing new have none.  0 or -errno with a sentence; nobody looked: no instants.  The caller ends it after success. */
int owners_curve_build(struct recording *recording, size_t most, struct owners_curve *curve,
                       struct fault *fault);
void owners_curve_fini(struct owners_curve *curve);
