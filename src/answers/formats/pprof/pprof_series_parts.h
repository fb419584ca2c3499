/* pprof_series_parts.h - inside pprof_series: how a series becomes buckets, pins and sentences. */
#pragma once

#include "formats/pprof/pprof_series.h"

/* The open cells become a bucket that ends at series->end_ns; nothing when that is 0.  Returns 0,
 * -ENOMEM or -E2BIG. */
int pprof_series_close_bucket(struct pprof_series *series);
/* A picture of the peak that a file of memoir's brought along.  Takes the cells; nothing when there
 * are none.  Returns 0 or -ENOMEM. */
int pprof_series_pin(struct pprof_series *series, struct pprof_cell_list *peak);
/* What a reader of the numbers should know. */
void pprof_series_tell(struct pprof_series *series);
