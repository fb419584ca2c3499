/* moment_series.h - makes the buckets of a recording from single samples, in order of time: cells
 * by stack and by thread, and moments by both.
 *
 * Buckets are as long as memoir's own.  When all buckets would take more than `bytes_max`,
 * neighbours are merged, and their moments become sums without a time; so memory does not grow with
 * the number of samples. */
#pragma once

#include "model/recording.h"
#include "model/cells.h"

#define MOMENT_SERIES_BYTES_MAX ((size_t)384 << 20)

struct moment_series {
    struct recording *recording;
    size_t bytes_max; /* 0: MOMENT_SERIES_BYTES_MAX */

    /* internal; all zero to begin */
    uint64_t begin_ns, now_ns; /* begin of the open bucket; time of the newest sample */
    struct cell_sum stacks, threads;
    VEC(struct moment) moments;
    size_t bytes;  /* size of all closed buckets */
    int64_t total; /* sum of the values */
};

struct sampled {
    uint64_t time_ns; /* since the recording began */
    uint32_t thread;  /* index into threads */
    stack_id stack;
    enum column column; /* column of the value */
    enum column count;  /* column that counts samples; COL_NONE: none */
    int64_t value;
};

/* Adds a sample.  A sample that is older than an earlier one gets the time of the newest.  Returns
 * 0, -ERANGE if the sum of all values would overflow, or -ENOMEM. */
int moment_series_add(struct moment_series *series, const struct sampled *sample);

/* Closes the last bucket and sets the duration of the recording.  Returns 0 or -ENOMEM. */
int moment_series_finish(struct moment_series *series);
void moment_series_fini(struct moment_series *series);

/* Replaces every stack by renamed[stack]. */
void moment_series_rename(struct recording *recording, const stack_id *renamed);
