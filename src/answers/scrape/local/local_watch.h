/* local_watch.h - memory of nodes that are processes of this machine: one line of
 * <nick>.heap.csv per snapshot, without a header: stamp,YYYY-MM-DD HH:MM:SS,rss_kib,vsz_kib and
 * what else local_sample.h has; and metrics of those that show none themselves. */
#pragma once

#include "scrape/watch/node_watch_parts.h"

/* 1 if there was anything to write, 0 for a node that is somewhere else.  A process that is
 * gone, or is not known, is a gap. */
unsigned local_watch_sample(struct watch *watch, struct watched *watched,
                            struct node_snapshot *snapshot);
