/* reconcile.h - inside `store`: makes the totals of an incomplete recording fit its buckets.
 *
 * A state has the totals at the time when it was written.  If the file was cut, or has damaged
 * parts, other buckets are left than the state covers: sums in a report would contradict the totals
 * in its first lines. */
#pragma once

#include "model/recording.h"

/* Computes totals, peak and live memory from the buckets that are left.  What these do not show
 * (blocks freed in a missing part) becomes a doubt: see model/losses.h.  Returns 0 or -ENOMEM. */
int recording_reconcile(struct recording *recording);
