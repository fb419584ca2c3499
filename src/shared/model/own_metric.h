/* own_metric.h - metrics that only one recording has: numbers that a foreign file counts under a
 * name of its own. */
#pragma once

#include "base/slice.h"
#include "model/metric.h"

struct recording;

/* Returns the recording's own metric of this name; adds it with a column of its own if it is
 * new. Name and unit are copied.  Returns NULL if there are OWN_METRICS_MAX already, or out of
 * memory. */
const struct metric *recording_add_metric(struct recording *recording, struct slice name,
                                          struct slice unit, enum metric_kind kind);
/* Finds a metric by name: one of the recording, else one that every recording has.  NULL if there
 * is none. */
const struct metric *recording_metric(const struct recording *recording, const char *name);
/* For recording_destroy. */
void recording_free_metrics(struct recording *recording);
