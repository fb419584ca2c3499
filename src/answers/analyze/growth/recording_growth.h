/* recording_growth.h - whether the memory of a recorded program grows, and the functions that make it.
 *
 * Resident memory, without what recording takes of it, and live heap are judged each by itself: the one may grow without the other.  Who explains it is asked
 * only when the heap grows: the functions whose live bytes rise in the same stretch of time, largest first. */
#pragma once

#include "analyze/growth/growth.h"
#include "analyze/growth/trend.h"
#include "analyze/sums/weigh.h"
#include "model/recording.h"

#define GROWTH_SITES_MAX 8
#define GROWTH_SITE_SLOTS                                                                          \
    24 /* equal parts of the stretch of time, for each of which a site has a floor */

struct growth_site {
    string_id function;               /* as in site_table.h */
    stack_id stack;                   /* that has grown most of those under this name */
    double slope;                     /* bytes a second */
    double share;                     /* of the heap's slope; more than 1 when others fall */
    double floors[GROWTH_SITE_SLOTS]; /* its live bytes, against the beginning of the stretch */
};

struct recording_growth {
    struct growth rss, heap;
    struct growth_site sites[GROWTH_SITES_MAX];
    unsigned site_count;
    double explained_share; /* what they are together */
    string_id
        mark_name; /* "block #": marks whose names differ in numbers only; empty: none that repeat */
    int64_t limit_bytes; /* that was asked about; 0: none */
    int64_t
        own_bytes; /* that recording takes in the process, which `rss` is without; 0: nothing, or not known */
};

/* `limit_bytes`: 0 takes what the recording knows.  0 or -errno with `fault`. */
int recording_growth_make(struct recording *recording, int64_t limit_bytes,
                          struct recording_growth *growth, struct fault *fault);
/* The same of a part of it: only what was seen from `range.from_ns` to `range.to_ns`. */
int recording_growth_make_within(struct recording *recording, struct time_range range,
                                 int64_t limit_bytes, struct recording_growth *growth,
                                 struct fault *fault);

/* Of its live heap or its resident memory alone, between two times; without marks and limits.  0 or -ENOMEM. */
int recording_growth_between(const struct recording *recording, bool heap, uint64_t from_ns,
                             uint64_t to_ns, struct growth *growth);

/* What a verdict was made from: the floors, times in seconds, and the line through them.  Nothing when there are too few. */
struct growth_curve {
    struct trend_series floors;
    bool has_line;             /* there is a verdict */
    double line_from, line_to; /* bytes, at from_ns and to_ns of the verdict */
};
/* Of the heap or of resident memory.  0 or -ENOMEM. */
int growth_curve_make(const struct recording *recording, struct time_range range, bool heap,
                      const struct growth *growth, struct growth_curve *curve);
