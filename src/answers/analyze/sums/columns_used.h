/* columns_used.h - finds which columns of a recording have any values, without reading all
 * buckets at once.
 *
 * Reading all buckets of a large file takes seconds, and a list of metrics is needed
 * immediately. Each call reads a few buckets: the newest ones, and others spread evenly over the
 * whole time, more densely with each call until all were read.  A column that was found once
 * stays found. */
#pragma once

#include <stdbool.h>

#include "model/recording.h"

struct columns_used {
    bool has[COLUMN_LIMIT];
    uint64_t to_ns; /* Buckets after this time are new: not read yet. */
    uint32_t turn;  /* Number of places of the even spread that were read so far. */
};

/* Reads some more buckets.  Returns 0, or the error of loading a bucket; that bucket is skipped. */
int columns_used_look(struct columns_used *used, struct recording *recording, struct fault *fault);

/* True when a column that the metric adds up has values, as far as buckets were read. */
bool columns_used_has(const struct columns_used *used, const struct metric *metric);
