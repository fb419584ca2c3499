/* metric_data.h - whether a recording has measured a metric at all, which "0" does not tell. */
#pragma once

#include "model/recording.h"

/* 0 when it was measured, though it may come to nothing; -ENODATA with a sentence that says what would record it; or what loading a
 * bucket gave.  Buckets are read only where the recording's own account does not tell. */
int metric_data_check(struct recording *recording, const struct metric *metric,
                      struct fault *fault);

/* Whether the heap was switched off (--heap off) from beginning to end. */
bool metric_data_heap_is_off(const struct recording *recording);
