/* reconcile.h - inside `store`: totals of a recording of which parts are missing.
 *
 * The state tells totals as of when it was written.  In a file that was cut, or has damaged
 * parts, the buckets that are left are not those that it tells of, and what a report sums up
 * would contradict what it says in its first lines. */
#pragma once

#include "model/recording.h"

/* Totals, peak and what is live become those of the buckets that are there.  What these cannot
 * tell (blocks that were freed in a part that is missing) becomes a doubt: see model/losses.h.
 * 0 or -ENOMEM. */
int recording_reconcile(struct recording *recording);
