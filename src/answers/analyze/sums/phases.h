/* phases.h - the run in the pieces that the program itself has named: from mark to mark, and phase by phase. */
#pragma once

#include "analyze/sums/weigh.h"

struct phase_row {
    string_id name; /* empty: the time before the first mark */
    bool
        is_phase; /* told with its end, so that it may overlap others; else it lasts up to the next mark */
    bool is_open; /* nothing has ended it */
    bool
        is_exact; /* its numbers are its own: at both ends there is a boundary, or the sums of a mark */
    uint64_t from_ns, to_ns;
    uint64_t counted_from_ns, counted_to_ns; /* what the numbers are of, where that is not exact */
    int64_t value, count; /* of the metric: what was added; of a level the change */
    /* of the kind of memory that the metric is about */
    int64_t calls, allocated_bytes, frees, freed_bytes;
    int64_t live_end_bytes, live_end_count;
    /* of the whole heap; -1 where not measured */
    int64_t heap_max_bytes, rss_end_bytes;
};

struct phases {
    VEC(struct phase_row) rows; /* by when they begin */
    const struct metric *metric;
};

/* Every piece that has a part in `range`, cut to it.  With `codes` (by stack_id) only stacks whose code is not 0 count.
 * 0 or -errno with `fault`.  A recording without marks has no rows. */
struct phase_question {
    const struct metric *metric;
    struct time_range range;
    const uint32_t *codes; /* or NULL */
};
int phases_build(struct recording *recording, const struct phase_question *question,
                 struct phases *phases, struct fault *fault);
void phases_fini(struct phases *phases);
