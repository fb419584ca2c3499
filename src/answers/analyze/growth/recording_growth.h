/* recording_growth.h - whether the memory of a recorded program grows, and which functions cause
 * the growth.
 *
 * Resident memory (without the memory that recording itself takes) and live heap are judged
 * separately: one may grow without the other.  Only when the heap grows, the functions whose
 * live bytes rise in the same stretch of time are searched, largest first. */
#pragma once

#include "analyze/growth/growth.h"
#include "analyze/growth/trend.h"
#include "analyze/sums/weigh.h"
#include "model/recording.h"

#define GROWTH_SITES_MAX 8
#define GROWTH_SITE_SLOTS                                                                          \
    24 /* Equal parts of the stretch of time; a site has one floor for each part. */

struct growth_site {
    string_id function; /* As in site_table.h. */
    /* The stack that has grown most of those with this function. */
    stack_id stack;
    double slope;                     /* Bytes per second. */
    double share;                     /* Share of the heap's slope; above 1 when others fall. */
    double floors[GROWTH_SITE_SLOTS]; /* Live bytes of the site, minus those at the beginning. */
};

struct recording_growth {
    struct growth rss, heap;
    struct growth_site sites[GROWTH_SITES_MAX];
    unsigned site_count;
    double explained_share; /* Sum of the shares of all sites. */
    /* Name of marks that repeat, such as "block #" for marks whose names differ only in numbers;
     * empty: no marks repeat. */
    string_id mark_name;
    int64_t limit_bytes; /* The limit that the verdicts are for; 0: none. */
    /* Memory that recording itself takes in the process; `rss` does not contain it.  0: none, or
     * unknown. */
    int64_t own_bytes;
};

/* Judges the whole recording. `limit_bytes` 0: use the limit that is stored in the recording.
 * Returns 0 or -errno with `fault`. */
int recording_growth_make(struct recording *recording, int64_t limit_bytes,
                          struct recording_growth *growth, struct fault *fault);
/* Like recording_growth_make, but only for the time in `range`. */
int recording_growth_make_within(struct recording *recording, struct time_range range,
                                 int64_t limit_bytes, struct recording_growth *growth,
                                 struct fault *fault);

/* Judges only the live heap (`heap`) or only resident memory, between two times, without marks
 * and limits.  Returns 0 or -ENOMEM. */
int recording_growth_between(const struct recording *recording, bool heap, uint64_t from_ns,
                             uint64_t to_ns, struct growth *growth);

/* The data of a verdict: the floors (times in seconds) and the line through them.  Empty when
 * there are too few floors. */
struct growth_curve {
    struct trend_series floors;
    bool has_line;             /* There is a verdict. */
    double line_from, line_to; /* In bytes, at from_ns and to_ns of the verdict. */
};
/* Makes the curve of the heap (`heap`) or of resident memory.  Returns 0 or -ENOMEM. */
int growth_curve_make(const struct recording *recording, struct time_range range, bool heap,
                      const struct growth *growth, struct growth_curve *curve);
