/* growth.h - is this memory growing, or only warming up, filling a cache, collecting garbage?
 *
 * A pure function from a series to a verdict.  The rules, and how often they are right, are in
 * docs/growth.md: floors instead of values, a trend that is sure, steep enough, in every third
 * of the window and not slowing down; the newest part alone when it climbs above all that was;
 * daily floors when there are days enough. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Times rise.  `value` is the least since the point before, where that is known. */
struct growth_point {
    uint64_t time_ns;
    int64_t value;
};

enum growth_verdict {
    GROWTH_UNKNOWN, /* too short a time, or too few points */
    GROWTH_STEADY,  /* no trend that is sure and matters */
    GROWTH_FALLING,
    GROWTH_SETTLING, /* it grew, and is slowing down: warm-up, a cache that fills */
    GROWTH_STEPPED,  /* one jump to a new level explains it */
    GROWTH_GROWING,
};
enum growth_rule { GROWTH_BY_NONE, GROWTH_BY_WINDOW, GROWTH_BY_RECENT, GROWTH_BY_DAYS };

#define GROWTH_NEVER    UINT64_MAX
#define GROWTH_LEAST_NS UINT64_C(30000000000) /* shorter series have no verdict */

struct growth_question {
    const struct growth_point *points;
    size_t count;
    int64_t limit_bytes;   /* what it must not reach; 0: nothing is known */
    int64_t least_rise;    /* over the stretch, to matter at all; 0: 64 KiB */
    const uint64_t *marks; /* times of pieces of work, rising; NULL: none */
    size_t mark_count;
};

struct growth {
    enum growth_verdict verdict;
    enum growth_rule rule;
    uint64_t from_ns, to_ns;             /* the stretch of time that this is about */
    int64_t first, last, middle;         /* floors at its beginning and end, and their median */
    double slope, slope_low, slope_high; /* bytes a second, with the 95 % interval */
    double confidence;                   /* that it rises at all: 0 to 1 */
    /* until the limit is reached at this slope, and at the steepest and the gentlest of the
     * interval; 0: it is reached; GROWTH_NEVER: not growing, or no limit */
    uint64_t limit_ns, limit_early_ns, limit_late_ns;
    double bytes_per_mark; /* over the window; 0 unless marks_used */
    size_t marks_used;
};

/* Never fails; what it needs is on the stack (200 KiB). */
void growth_judge(const struct growth_question *question, struct growth *growth);

/* "unknown", "steady", ... as in JSON. */
const char *growth_verdict_name(enum growth_verdict verdict);
const char *growth_rule_name(enum growth_rule rule);
