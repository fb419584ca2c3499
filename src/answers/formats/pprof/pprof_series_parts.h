/* pprof_series_parts.h - inside pprof_series: makes buckets, pins and notes. */
#pragma once

#include "formats/pprof/pprof_series.h"

/* Closes the open bucket at series->end_ns; does nothing if that is 0.  Returns 0, -ENOMEM or
 * -E2BIG. */
int pprof_series_close_bucket(struct pprof_series *series);
/* Adds a pin of the peak from a file that memoir wrote.  Takes the cells; does nothing if there are
 * none.  Returns 0 or -ENOMEM. */
int pprof_series_pin(struct pprof_series *series, struct pprof_cell_list *peak);
/* Adds the notes that a reader of the numbers should know. */
void pprof_series_tell(struct pprof_series *series);
