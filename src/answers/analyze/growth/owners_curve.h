/* owners_curve.h - the parts of the resident memory over time: one instant per look at the
 * pages. */
#pragma once

#include "analyze/memory/explain.h"

struct owners_instant {
    uint64_t time_ns;        /* End of the bucket that contains the look. */
    int64_t heap_live_bytes; /* heap.live at that time. */
    int64_t bytes[EXPLAINED_PARTS_MAX];
};

struct owners_curve {
    VEC(struct owners_instant) instants; /* Sorted by time. */
    const struct owner_words *words;     /* Names of the parts, in the order of explain_parts. */
    size_t part_count;
};

/* Builds the curve of the whole recording with at most `most` (at least 2) instants: others are
 * dropped evenly, never the first and the last. Looks that found nothing new have no instant.
 * Returns 0, also when there was no look (no instants), or -errno with a sentence.  Call
 * owners_curve_fini after success. */
int owners_curve_build(struct recording *recording, size_t most, struct owners_curve *curve,
                       struct fault *fault);
void owners_curve_fini(struct owners_curve *curve);
