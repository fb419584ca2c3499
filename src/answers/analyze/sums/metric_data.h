/* metric_data.h - whether a recording has measured a metric at all: a value of 0 does not say. */
#pragma once

#include "model/recording.h"

/* Returns 0 when the metric was measured, even if its value is 0; -ENODATA with a sentence that
 * says how to record the metric; or the error of loading a bucket.  Buckets are read only when
 * what the recording says about itself (its source, quality and totals) does not answer the
 * question. */
int metric_data_check(struct recording *recording, const struct metric *metric,
                      struct fault *fault);

/* True when heap tracing was switched off (--heap off) during the whole recording: at least 99 % of
 * the time, without any allocation. */
bool metric_data_heap_is_off(const struct recording *recording);
