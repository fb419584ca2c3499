/* callgrind_events.h - which metric an event of callgrind.out is. */
#pragma once

#include "base/slice.h"
#include "model/metric.h"

struct callgrind_event {
    const char *name, *metric;
};

/* What is written side by side, in this order; ends with a NULL name. */
extern const struct callgrind_event callgrind_events[];

#define CALLGRIND_NAME_MAX 64
/* The name of the event for a metric: of the table, or made of its own, "heap.temporary" being
 * HeapTemporary. */
void callgrind_event_name(const struct metric *metric, char name[CALLGRIND_NAME_MAX]);
