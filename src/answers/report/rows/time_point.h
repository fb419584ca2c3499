/* time_point.h - a time as a person typed it; its value depends on the recording. */
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
    struct slice name; /* points into the parsed text; may end in #2 or #last */
    bool is_phase;     /* phases with this name have priority over marks */
    bool is_end;       /* the end of the phase, not its begin */
};
#define TIME_POINT_FORMS                                                                           \
    "a time is 90s or 1h30m after the start, -10s before the end, 50%, peak, end, mark:NAME or "   \
    "phase:NAME"

/* Parses "90s", "-10s", "50%", "peak", "end", "mark:block 7", "phase:compaction#2",
 * "phase-end:compaction".  Returns 0 or -EINVAL.  `text` must outlive the point. */
int time_point_parse(struct slice text, struct time_point *point);

/* Parses "A,B"; or a single mark or phase, which gives its time range.  Returns 0 or -EINVAL. */
int time_points_parse(struct slice text, struct time_point *from, struct time_point *to);

/* Returns whether `from` is at or after `to` in every recording, so that no recording is needed to
 * see that the range is wrong. */
bool time_points_turned(const struct time_point *from, const struct time_point *to);

/* Finds the time in ns in this recording.  Returns 0; or -EINVAL with a sentence if the recording
 * has no such mark. */
int time_point_resolve(const struct time_point *point, const struct recording *recording,
                       uint64_t *ns, struct fault *fault);
