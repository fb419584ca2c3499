/* growth_watch.h - judges a series while it grows, in bounded memory.  When there are too many
 * points, each two neighbours are merged and the lower value is kept. */
#pragma once

#include "analyze/growth/growth.h"

#define GROWTH_WATCH_POINTS 2048

struct growth_watch { /* Initialise with zeroes. */
    struct growth_point points[GROWTH_WATCH_POINTS];
    size_t count;
    uint64_t spacing_ns; /* Time between points; 0: every value is a point. */
    uint64_t judged_ns;  /* Time of the last verdict. */
    bool was_growing;    /* The last verdict was that it grows. */
    struct growth growth;
};

/* Adds a value.  Times must rise. */
void growth_watch_add(struct growth_watch *watch, uint64_t time_ns, int64_t value);

/* Judges, at most every 10 s.  Returns true when the series grows and grew at the previous
 * verdict too: a single window may be chance. */
bool growth_watch_judge(struct growth_watch *watch, int64_t limit_bytes);
