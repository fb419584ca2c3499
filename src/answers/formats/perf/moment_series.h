/* moment_series.h - the buckets of a recording made from single samples, as time goes on: cells
 * by stack and by thread, and moments by both.
 *
 * Buckets are as long as memoir's own.  When all of them would take more than `bytes_max`,
 * neighbours become one, and moments in them sums without an instant: memory does not grow with
 * the number of samples. */
#pragma once

#include "model/recording.h"
#include "model/cells.h"

#define MOMENT_SERIES_BYTES_MAX ((size_t)384 << 20)

struct moment_series {
    struct recording *recording;
    size_t bytes_max; /* 0: MOMENT_SERIES_BYTES_MAX */

    /* inside; all zero to begin */
    uint64_t begin_ns, now_ns; /* of the open bucket; the time of the newest sample */
    struct cell_sum stacks, threads;
    VEC(struct moment) moments;
    size_t bytes;  /* of all closed buckets */
    int64_t total; /* of the values */
};

struct sampled {
    uint64_t time_ns; /* since the recording began */
    uint32_t thread;  /* index into threads */
    stack_id stack;
    enum column column; /* that the value counts in */
    enum column count;  /* where it counts as one; COL_NONE: nowhere */
    int64_t value;
};

/* A sample that is older than others is booked as if it came now.  Returns 0, -ERANGE when the sum
 * of all values would not fit any more, or -ENOMEM. */
int moment_series_add(struct moment_series *series, const struct sampled *sample);

/* Closes the last bucket and says how long it all took.  Returns 0 or -ENOMEM. */
int moment_series_finish(struct moment_series *series);
void moment_series_fini(struct moment_series *series);

/* Every stack becomes the one that `renamed` has for it. */
void moment_series_rename(struct recording *recording, const stack_id *renamed);
