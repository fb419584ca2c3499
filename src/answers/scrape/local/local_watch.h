/* local_watch.h - the memory of nodes that are processes of this machine.
 *
 * Writes one line per snapshot to <nick>.heap.csv, without a header: stamp,YYYY-MM-DD
 * HH:MM:SS,rss_kib,vsz_kib and the further columns of local_sample.h.  Also writes metrics for
 * nodes that have no metrics of their own. */
#pragma once

#include "scrape/watch/node_watch_parts.h"

/* Returns 1 if anything was to be written, 0 for a node on another machine.  A process that is gone
 * or unknown is a gap. */
unsigned local_watch_sample(struct watch *watch, struct watched *watched,
                            struct node_snapshot *snapshot);
