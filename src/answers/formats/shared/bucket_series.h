/* bucket_series.h - the buckets of a recording made from a file of single events, as time goes on.
 *
 * They are as long as memoir's own, and when their cells would take more than CELLS_MAX, older ones
 * become one by the ladder of `store`: memory does not grow with the number of events. */
#pragma once

#include "formats/shared/heap_ledger.h"

#define SERIES_CELLS_MAX   ((size_t)4 << 20) /* 64 MiB of cells */
#define SERIES_BUCKETS_MAX ((size_t)32768)

struct bucket_series {
    struct recording *recording;
    struct heap_ledger *ledger;
    size_t cells_max; /* 0: SERIES_CELLS_MAX */
    uint64_t now_ns;

    /* inside */
    uint64_t begin_ns, histogram_ns; /* of the open bucket; when sizes were last written */
    int64_t rss_last, rss_max;       /* in it; -1: no sample */
    size_t cells;                    /* in all buckets */
};

void bucket_series_begin(struct bucket_series *series);

/* It is now so late, which is not before any time given earlier; what comes next is booked from
 * here on.  Returns 0 or -ENOMEM. */
int bucket_series_stamp(struct bucket_series *series, uint64_t now_ns);

void bucket_series_rss(struct bucket_series *series, int64_t bytes);

/* Closes the last bucket and puts duration, totals and the picture of the peak into the recording.
 * Returns 0 or -ENOMEM. */
int bucket_series_finish(struct bucket_series *series);
