/* time_point.h - a time as it was typed; what it means depends on the recording. */
#pragma once

#include <stdbool.h>

#include "base/slice.h"
#include "model/recording.h"

enum time_anchor { TIME_SINCE_START, TIME_BEFORE_END, TIME_SHARE, TIME_OF_PEAK, TIME_OF_MARK };
struct time_point {
    enum time_anchor anchor;
    uint64_t ns;  /* TIME_SINCE_START, TIME_BEFORE_END */
    double share; /* TIME_SHARE: 0 to 1 of the duration */
    /* TIME_OF_MARK */
    struct slice name; /* points into what was typed; may end in #2 or #last */
    bool is_phase;     /* phases of that name come before marks of it */
    bool is_end;       /* where it ends, not where it begins */
};
#define TIME_POINT_FORMS                                                                           \
    "a time is 90s or 1h30m after the start, -10s before the end, 50%, peak, end, mark:NAME or "   \
    "phase:NAME"

/* "90s", "-10s", "50%", "peak", "end", "mark:block 7", "phase:compaction#2",
 * "phase-end:compaction". Returns 0 or -EINVAL.  `text` must outlive the point. */
int time_point_parse(struct slice text, struct time_point *point);

/* "A,B"; or a mark or phase alone, which is the time it lasts.  Returns 0 or -EINVAL. */
int time_points_parse(struct slice text, struct time_point *from, struct time_point *to);

/* Returns whether they are in the wrong order, or equal, in any recording. */
bool time_points_turned(const struct time_point *from, const struct time_point *to);

/* Returns 0 or -EINVAL with a sentence when it has no such mark. */
int time_point_resolve(const struct time_point *point, const struct recording *recording,
                       uint64_t *ns, struct fault *fault);
