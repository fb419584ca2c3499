/* phases.h - the run divided into the pieces that the program itself has named: from mark to mark,
 * and phase by phase. */
#pragma once

#include "analyze/sums/weigh.h"

struct phase_row {
    string_id name; /* Empty: the time before the first mark. */
    /* True: a phase, which has its own end and may overlap others.
     * False: a mark, whose piece lasts until the next mark. */
    bool is_phase;
    bool is_open; /* The phase has not ended. */
    /* True: the numbers are exactly of from_ns to to_ns, because there is a bucket boundary, or the
     * sums stored with a mark, at both ends. */
    bool is_exact;
    uint64_t from_ns, to_ns;
    uint64_t counted_from_ns, counted_to_ns; /* The time that the numbers are of if not exact. */
    int64_t value, count; /* Of the metric: what was added; of a level, its change. */
    /* Of the kind of memory that the metric is about. */
    int64_t calls, allocated_bytes, frees, freed_bytes;
    int64_t live_end_bytes, live_end_count;
    /* Of the whole process; -1 if not measured. */
    int64_t heap_max_bytes, rss_end_bytes;
};

struct phases {
    VEC(struct phase_row) rows; /* Sorted by start time. */
    const struct metric *metric;
};

struct phase_question {
    const struct metric *metric;
    struct time_range range;
    const uint32_t *codes; /* Indexed by stack_id: stacks with code 0 are ignored.  NULL: all. */
};
/* Finds every piece that overlaps the range, cut to the range.  A recording without marks has no
 * rows.  Returns 0 or -errno with `fault`. */
int phases_build(struct recording *recording, const struct phase_question *question,
                 struct phases *phases, struct fault *fault);
void phases_fini(struct phases *phases);
