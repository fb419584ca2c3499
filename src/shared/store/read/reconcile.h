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

/* Leaves out what the tables of an incomplete recording tell of times after its last bucket: they
 * are written before the buckets of their time. */
void recording_end_with_buckets(struct recording *recording);
