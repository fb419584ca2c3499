/* random_run.h - a recording of a made-up run with its books kept event by event: the truth that
 * exports are held against. */
#pragma once

#include "model/recording.h"

#define RUN_SITES   9
#define RUN_BUCKETS 7

struct site_books {
    int64_t calls, temporary, leaked, leaked_blocks, peak, peak_blocks, allocated;
};

struct random_run {
    struct recording *recording;
    struct site_books sites[RUN_SITES]; /* stacks "main;siteN" */
    struct site_books total;
};

/* `threads` allocate in turns; the same seed gives the same run. */
struct random_run random_run_create(uint64_t seed, uint64_t events_per_bucket, unsigned threads);
