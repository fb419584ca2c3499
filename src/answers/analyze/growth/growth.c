/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/growth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/growth/growth_floors.h"
#include "base/clock.h"
#include "base/invariant.h"

#define DAY_NS UINT64_C(86400000000000)

#define WINDOW_NS   DAY_NS
#define LEAST_Z     2.58
#define LEAST_RISE  0.015 /* of the median, over the window */
#define LEAST_BYTES 65536 /* over the window: less is nobody's trouble */
#define THIRD_SHARE 0.25  /* of the whole slope, in each third */
#define LATE_SHARE  0.5   /* of the first third's slope, in the last one */
#define END_SHARE   0.25  /* of the whole slope, in the last quarter */
#define ENDS_SHARE                                                                                 \
    12 /* one in so many floors is the beginning, or the end: a single one may be odd */
#define SHIFTS_MAX 3 /* jumps cut off before giving up */
#define REST_SHARE 8 /* what is left behind a jump is at least one in so many */

#define OLD_STAYS 3 /* times that a level was there before: then a jump leads to no new one */

#define LEVEL_FLOORS 3 /* on each side of a jump, for the level between them */

#define RECENT_LEAST_Z    3.29
#define RECENT_LEAST_RISE 0.03
#define RECENT_ABOVE      0.5 /* of the rise must lie above all that was before */
/* of the slope in as long a time before it: else it is slowing down */
#define RECENT_BEFORE 0.8
#define RECENT_LATE                                                                                \
    0.9 /* of the slope of its first third, in the last: else it is slowing down, too */
#define RECENT_HALVINGS 3

#define DAYS_LEAST      5
#define DAYS_MAX        7
#define DAYS_LEAST_RISE 0.003 /* of the median, a day */
#define DAYS_LATE_SHARE 0.5
#define DAYS_END_SHARE  0.5 /* of the slope, in the last three days */
#define DAYS_STEP_SHARE 0.5 /* of the rise, in one day, is a step */

/* How demanding a rule is. */
struct demand {
    double z, rise;
    double least; /* bytes */
};

/* Back to whole numbers; what does not fit is cut. */
static int64_t whole_bytes(double value)
{
    return value >= 9.2e18 ? INT64_MAX : value <= -9.2e18 ? INT64_MIN : (int64_t)value;
}

static uint64_t whole_ns(double seconds)
{
    return seconds >= 1.8e10 ? UINT64_MAX
           : seconds <= 0    ? 0
                             : (uint64_t)(seconds * (double)NS_PER_SECOND);
}

/* Where a stretch lies in the points. */
struct growth_stretch {
    size_t first, end;
    uint64_t from_ns, to_ns;
};

static struct growth_stretch stretch_from(const struct growth_question *question, uint64_t from_ns)
{
    INVARIANT(question->count > 0);
    size_t first = 0;
    while (first < question->count && question->points[first].time_ns < from_ns)
        first++;
    return (struct growth_stretch){first, question->count, from_ns,
                                   question->points[question->count - 1].time_ns};
}

static double least_of(const struct growth_question *question)
{
    return question->least_rise > 0 ? (double)question->least_rise : LEAST_BYTES;
}

static double rise_of(const struct trend_series *floors, double slope)
{
    INVARIANT(floors->count > 0);
    return slope * (floors->times[floors->count - 1] - floors->times[0]);
}

static int64_t middle_of(const struct trend_series *floors, size_t first, size_t end)
{
    INVARIANT(first < end && end <= floors->count && end - first <= TREND_MAX);
    double sorted[TREND_MAX];
    memcpy(sorted, floors->values + first, (end - first) * sizeof(*sorted));
    return whole_bytes(trend_median(sorted, end - first));
}

static void describe(const struct growth_stretch *stretch, const struct trend_series *floors,
                     const struct trend *trend, struct growth *growth)
{
    INVARIANT(floors->count > 0 && stretch->first <= stretch->end);
    size_t const n = floors->count, ends = 1 + n / ENDS_SHARE;
    growth->middle = middle_of(floors, 0, n);
    growth->from_ns = stretch->from_ns;
    growth->to_ns = stretch->to_ns;
    growth->first = middle_of(floors, 0, ends);
    growth->last = middle_of(floors, n - ends, n);
    growth->slope = trend->slope;
    growth->slope_low = trend->low;
    growth->slope_high = trend->high;
    growth->confidence = 0.5 * erfc(-trend->z / sqrt(2));
}

/* Neither steep only in places, nor slowing down, nor over. */
static bool goes_on(const struct trend_series *floors, double slope)
{
    size_t const n = floors->count;
    double const thirds[] = {trend_slope(floors, 0, n / 3), trend_slope(floors, n / 3, 2 * n / 3),
                             trend_slope(floors, 2 * n / 3, n)};
    for (size_t i = 0; i < 3; i++)
        if (thirds[i] <= THIRD_SHARE * slope)
            return false;
    return thirds[2] > LATE_SHARE * thirds[0];
}

static enum growth_verdict judge_floors(const struct trend_series *floors,
                                        const struct demand *demand, const struct trend *trend,
                                        int64_t middle)
{
    double const rise = rise_of(floors, trend->slope);
    double const least = fmax(demand->rise * fabs((double)middle), demand->least);
    struct trend_series coarse;
    if (fabs(trend->z) <= demand->z || fabs(rise) <= least)
        return GROWTH_STEADY;
    if (rise < 0)
        return GROWTH_FALLING;
    floors_coarsen(floors, &coarse);
    /* A saw's teeth are longer than one floor: the floors of floors must rise as well. */
    double const coarse_slope = trend_slope(&coarse, 0, coarse.count);
    if (!goes_on(floors, trend->slope) || !goes_on(&coarse, coarse_slope) ||
        trend_slope(&coarse, coarse.count * 3 / 4, coarse.count) <= END_SHARE * coarse_slope)
        return GROWTH_SETTLING;
    return GROWTH_GROWING;
}

/* What a part of the day brings it has brought before, and garbage piles up after each
 * collection: only what climbs above all that was is news. */
static bool is_above_before(const struct growth_question *question, size_t first,
                            const struct growth *recent)
{
    struct trend_series floors;
    if (!floors_make(question->points, first, &floors))
        return false;
    double highest = floors.values[0];
    for (size_t i = 1; i < floors.count; i++)
        highest = fmax(highest, floors.values[i]);
    return (double)recent->last - highest >
           RECENT_ABOVE * ((double)recent->last - (double)recent->first);
}

static void note_stay(uint64_t stays[OLD_STAYS + 1], uint64_t length, bool is_behind)
{
    if (is_behind) {
        stays[OLD_STAYS] = length > stays[OLD_STAYS] ? length : stays[OLD_STAYS];
        return;
    }
    for (size_t i = 0; i < OLD_STAYS; i++) {
        uint64_t const shorter = stays[i] < length ? stays[i] : length;
        stays[i] = stays[i] > length ? stays[i] : length;
        length = shorter;
    }
}

/* Whether memory was at the level behind a jump before, and left it, again and again: a tooth of a
 * saw that is not finished when the series ends.  Each stay counts that was at least three quarters
 * as long as the longest one behind the jump. */
static bool is_old_level(const struct growth_point *points, size_t count, size_t behind,
                         const struct trend_series *floors, size_t at)
{
    INVARIANT(at > 0 && at < floors->count && behind <= count);
    size_t const from = at > LEVEL_FLOORS ? at - LEVEL_FLOORS : 0;
    size_t const to = at + LEVEL_FLOORS < floors->count ? at + LEVEL_FLOORS : floors->count;
    double const before = (double)middle_of(floors, from, at);
    double const after = (double)middle_of(floors, at, to), level = (before + after) / 2;
    bool const is_up = after > before;
    uint64_t stays[OLD_STAYS + 1] = {0}; /* the longest before it, falling; the last: behind it */
    for (size_t i = 0, begin = 0; i < count; i++) {
        if (i == behind)
            begin = i;
        if (((double)points[i].value > level) != is_up) {
            begin = i + 1;
            continue;
        }
        bool const goes_on =
            i + 1 < count && i + 1 != behind && ((double)points[i + 1].value > level) == is_up;
        if (!goes_on)
            note_stay(stays, points[i].time_ns - points[begin].time_ns, i >= behind);
    }
    return stays[OLD_STAYS - 1] > 0 && stays[OLD_STAYS - 1] >= stays[OLD_STAYS] * 3 / 4;
}

/* What goes up and down does so all the time. */
static void settle_for(enum growth_verdict verdict, const struct growth_stretch *whole,
                       struct growth *growth)
{
    growth->verdict = verdict;
    if (verdict == GROWTH_STEADY)
        growth->from_ns = whole->from_ns;
}

/* Judges what is behind the last jump; a jump itself is no growth. */
static void judge_stretch(const struct growth_question *question, struct growth_stretch stretch,
                          const struct demand *demand, struct growth *growth)
{
    struct trend_series floors;
    enum growth_verdict why = GROWTH_UNKNOWN; /* what the last jump was */
    bool has_fallen = false;                  /* and whether it led down */
    struct growth_stretch const whole = stretch;
    for (unsigned cut = 0;; cut++) {
        if (!floors_make(question->points + stretch.first, stretch.end - stretch.first, &floors)) {
            settle_for(why, &whole, growth);
            return;
        }
        struct trend const trend = trend_of(&floors);
        describe(&stretch, &floors, &trend, growth);
        struct trend_shift const shift = trend_last_shift(&floors);
        if (shift.at == 0) {
            growth->verdict = judge_floors(&floors, demand, &trend, growth->middle);
            if (has_fallen && growth->verdict == GROWTH_GROWING &&
                !is_above_before(question, stretch.first, growth)) {
                settle_for(GROWTH_STEADY, &whole, growth); /* up and down */
            } else if (cut && growth->verdict != GROWTH_GROWING) {
                settle_for(why, &whole, growth);
            }
            return;
        }
        INVARIANT(shift.at > 0 && shift.at < floors.count);
        struct growth_stretch const rest = stretch_from(question, whole_ns(floors.times[shift.at]));
        if (!is_old_level(question->points + stretch.first, stretch.end - stretch.first,
                          rest.first - stretch.first, &floors, shift.at))
            why = shift.is_sudden ? GROWTH_STEPPED : GROWTH_SETTLING;
        else if (why == GROWTH_UNKNOWN)
            why = GROWTH_STEADY; /* up and down */
        has_fallen = floors.values[shift.at] < floors.values[shift.at - 1];
        stretch = rest;
        if (cut == SHIFTS_MAX ||
            stretch.end - stretch.first < (whole.end - whole.first) / REST_SHARE) {
            settle_for(why, &whole, growth);
            return;
        }
    }
}

/* Both against as long a time before it and within itself: after a warm-up it may go on evenly. */
static bool slows_down(const struct growth_question *question, const struct growth_stretch *stretch,
                       double slope)
{
    struct trend_series floors;
    uint64_t const length = stretch->to_ns - stretch->from_ns;
    struct growth_stretch const before = stretch_from(question, stretch->from_ns - length);
    if (before.first >= stretch->first ||
        !floors_make(question->points + before.first, stretch->first - before.first, &floors) ||
        slope >= RECENT_BEFORE * trend_slope(&floors, 0, floors.count) ||
        !floors_make(question->points + stretch->first, stretch->end - stretch->first, &floors))
        return false;
    size_t const n = floors.count;
    return trend_slope(&floors, 2 * n / 3, n) < RECENT_LATE * trend_slope(&floors, 0, n / 3);
}

static bool judge_recent(const struct growth_question *question, uint64_t window_ns,
                         struct growth *growth)
{
    struct demand const demand = {RECENT_LEAST_Z, RECENT_LEAST_RISE, least_of(question)};
    uint64_t const end = question->points[question->count - 1].time_ns;
    for (unsigned halving = 1; halving <= RECENT_HALVINGS; halving++) {
        struct growth recent = {.verdict = GROWTH_UNKNOWN};
        struct growth_stretch const stretch = stretch_from(question, end - (window_ns >> halving));
        if (window_ns >> halving < GROWTH_LEAST_NS)
            return false;
        judge_stretch(question, stretch, &demand, &recent);
        if (recent.verdict != GROWTH_GROWING ||
            !is_above_before(question, stretch.first, &recent) ||
            slows_down(question, &stretch, recent.slope))
            continue;
        *growth = recent;
        growth->rule = GROWTH_BY_RECENT;
        return true;
    }
    return false;
}

/* Five of six days above the day before, none of them by most of the rise, and not slowing down. */
static bool days_go_on(const struct trend_series *days, double slope)
{
    INVARIANT(days->count >= DAYS_LEAST);
    size_t const n = days->count;
    double const rise = days->values[n - 1] - days->values[0];
    size_t rises = 0;
    for (size_t i = 1; i < n; i++) {
        double const step = days->values[i] - days->values[i - 1];
        rises += step > 0;
        if (step > DAYS_STEP_SHARE * rise)
            return false;
    }
    double const early = trend_slope(days, 0, n / 2 + 1), late = trend_slope(days, n / 2, n);
    return rises + 2 >= n && late > DAYS_LATE_SHARE * early &&
           trend_slope(days, n - 3, n) > DAYS_END_SHARE * slope;
}

static bool judge_days(const struct growth_question *question, struct growth *growth)
{
    struct trend_series days;
    floors_make_days(question->points, question->count, DAYS_MAX, &days);
    if (days.count < DAYS_LEAST)
        return false;
    struct growth slow = {.verdict = GROWTH_GROWING, .rule = GROWTH_BY_DAYS};
    struct trend const trend = trend_of(&days);
    struct growth_stretch const stretch = stretch_from(question, whole_ns(days.times[0] - 43200));
    describe(&stretch, &days, &trend, &slow);
    double const least = fmax(DAYS_LEAST_RISE * fabs((double)slow.middle), least_of(question));
    if (trend.slope * 86400 <= least || !days_go_on(&days, trend.slope))
        return false;
    *growth = slow;
    return true;
}

static uint64_t time_to(double bytes, double slope)
{
    if (slope <= 0 || bytes / slope > 1e9) /* 30 years */
        return GROWTH_NEVER;
    return whole_ns(bytes / slope);
}

static void project(const struct growth_question *question, struct growth *growth)
{
    double const left = (double)question->limit_bytes - (double)growth->last;
    growth->limit_ns = growth->limit_early_ns = growth->limit_late_ns = GROWTH_NEVER;
    if (question->limit_bytes <= 0 || growth->verdict != GROWTH_GROWING)
        return;
    growth->limit_ns = time_to(left, growth->slope);
    growth->limit_early_ns = time_to(left, growth->slope_high);
    growth->limit_late_ns = time_to(left, growth->slope_low);
}

void growth_judge(const struct growth_question *question, struct growth *growth)
{
    struct demand const demand = {LEAST_Z, LEAST_RISE, least_of(question)};
    *growth = (struct growth){.verdict = GROWTH_UNKNOWN};
    project(question, growth);
    if (question->count < 2)
        return;
    uint64_t const begin = question->points[0].time_ns;
    uint64_t const end = question->points[question->count - 1].time_ns;
    if (end < begin || end - begin < GROWTH_LEAST_NS)
        return;
    uint64_t const window = end - begin < WINDOW_NS ? end - begin : WINDOW_NS;
    if (!judge_days(question, growth)) {
        growth->rule = GROWTH_BY_WINDOW;
        judge_stretch(question, stretch_from(question, end - window), &demand, growth);
        if (growth->verdict != GROWTH_GROWING)
            judge_recent(question, window, growth);
    }
    project(question, growth);
    growth->bytes_per_mark = floors_per_mark(question, growth->from_ns, &growth->marks_used);
}

const char *growth_verdict_name(enum growth_verdict verdict)
{
    INVARIANT(verdict <= GROWTH_GROWING);
    static const char *const names[] = {"unknown",  "steady",  "falling",
                                        "settling", "stepped", "growing"};
    return names[verdict];
}

const char *growth_rule_name(enum growth_rule rule)
{
    INVARIANT(rule <= GROWTH_BY_DAYS);
    static const char *const names[] = {"none", "window", "recent", "days"};
    return names[rule];
}
