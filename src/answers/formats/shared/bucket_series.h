/* bucket_series.h - makes the buckets of a recording from a file of single events, in order of
 * time.
 *
 * Buckets are as long as memoir's own.  When their cells would exceed CELLS_MAX, older buckets are
 * merged by the ladder of `store`, so memory does not grow with the number of events. */
#pragma once

#include "formats/shared/heap_ledger.h"

#define SERIES_CELLS_MAX   ((size_t)4 << 20) /* 64 MiB of cells */
#define SERIES_BUCKETS_MAX ((size_t)32768)

struct bucket_series {
    struct recording *recording;
    struct heap_ledger *ledger;
    size_t cells_max; /* 0: SERIES_CELLS_MAX */
    uint64_t now_ns;

    /* internal: */
    /* begin of the open bucket; time when sizes were last written */
    uint64_t begin_ns, histogram_ns;
    int64_t rss_last, rss_max; /* in the open bucket; -1: no sample */
    size_t cells;              /* in all buckets */
};

void bucket_series_begin(struct bucket_series *series);

/* Sets the current time, which must not be before an earlier one; later events are counted from
 * this time on.  Returns 0 or -ENOMEM. */
int bucket_series_stamp(struct bucket_series *series, uint64_t now_ns);

void bucket_series_rss(struct bucket_series *series, int64_t bytes);

/* Closes the last bucket, and sets duration, totals and the snapshot of the peak in the recording.
 * Returns 0 or -ENOMEM. */
int bucket_series_finish(struct bucket_series *series);
