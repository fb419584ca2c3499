/* growth_floors.h - inside the growth verdict: a long series as few floors, the least value of
 * each stretch of time.
 *
 * A floor is what stays when garbage is collected and work is done, so it is what a leak
 * raises.  Times in seconds. */
#pragma once

#include <stdbool.h>

#include "analyze/growth/growth.h"
#include "analyze/growth/trend.h"

#define FLOORS_LEAST 24

/* Between FLOORS_LEAST and TREND_MAX floors of equal stretches: fewer, where garbage takes
 * longer than one stretch to be collected.  false when there are too few points. */
bool floors_make(const struct growth_point *points, size_t count, struct trend_series *floors);

/* Merges floors into about FLOORS_LEAST wider stretches. */
void floors_coarsen(const struct trend_series *floors, struct trend_series *coarse);

/* One per day of 24 h, counted back from the end, at most `days_max`: the value that a twentieth
 * of the day is below. A day of which less than half was seen is left out. */
void floors_make_days(const struct growth_point *points, size_t count, size_t days_max,
                      struct trend_series *days);

/* By how much the value rises from mark to mark from `from_ns` on; *used is how many marks that
 * is made from, 0 when they are too few. */
double floors_per_mark(const struct growth_question *question, uint64_t from_ns, size_t *used);
