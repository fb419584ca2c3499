/* growth_watch.h - a series that is judged while it grows, in bounded memory: one value after the other, of which older
 * ones are merged by two (the lower stays) when there are too many. */
#pragma once

#include "analyze/growth/growth.h"

#define GROWTH_WATCH_POINTS 2048

struct growth_watch { /* all zero to begin */
    struct growth_point points[GROWTH_WATCH_POINTS];
    size_t count;
    uint64_t spacing_ns; /* between points; 0: every value is one */
    uint64_t judged_ns;  /* when it was judged last */
    bool was_growing;    /* then */
    struct growth growth;
};

/* Takes a value; times rise. */
void growth_watch_add(struct growth_watch *watch, uint64_t time_ns, int64_t value);

/* Judges, at most every 10 s.  Whether it grows, and did the time before as well: one window alone may be chance. */
bool growth_watch_judge(struct growth_watch *watch, int64_t limit_bytes);
