/* plot_data.h - a recording as curves over time.
 *
 * Columns are the stretches of time that get a place of their own on the paper: buckets, or several
 * neighbours when there are more of them than places.  Instants are the moments whose stacks are
 * known: the column boundaries and the pins (the peak above all), so a peak between two boundaries
 * is there with its call sites. */
#pragma once

#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"

#define PLOT_SITES_MAX 16
#define PLOT_LANES     6
#define PLOT_UNKNOWN   INT64_MIN

/* Further metrics, each as one curve of all stacks together. */
extern const char *const plot_lanes[PLOT_LANES];

struct plot_column {
    uint64_t begin_ns, end_ns;
    struct gauges gauges; /* end of the last, max and min of all; -1 where not measured */
    int64_t pss_bytes;    /* as last read in it; -1: it was not */
    uint64_t lost_events;
    int64_t allocated_bytes, allocated_calls; /* within it */
    /* a level at its end, PLOT_UNKNOWN before there was any; of a counter, what was added within
     * it */
    int64_t lanes[PLOT_LANES];
};

struct plot_site {
    string_id function;
    double area; /* what it covers on the paper: the rank */
};

struct plot_instant {
    uint64_t time_ns;
    int64_t values[PLOT_SITES_MAX + 1]; /* by site; [site_count] is everything else */
};

struct plot_data {
    const struct metric *metric;
    bool is_rate; /* a counter: values are per second, and hold from the instant before */
    struct time_range range; /* after snapping; never empty, so that it can be an axis */
    VEC(struct plot_column) columns;
    VEC(struct plot_instant) instants; /* by time; the first is the beginning of the range */
    struct plot_site sites[PLOT_SITES_MAX];
    unsigned site_count;
    bool has_lane[PLOT_LANES]; /* the recording has something in it */
};

struct plot_choice {
    const struct metric *metric; /* heap.peak and heap.leaked are drawn as heap.live */
    struct time_range range;
    unsigned top;         /* sites of their own; at most PLOT_SITES_MAX */
    unsigned max_columns; /* at least 1 */
    /* sites: only stacks it finds a frame in; NULL: all.  Columns and lanes are always of all */
    const struct pattern *filter;
    /* sites are functions as memoir report --by function has them, and not the first that tell
     * something */
    bool by_function;
    /* resident memory and live heap alone, with neither sites nor lanes nor rates: no cell is
     * read, which a large recording has many of */
    bool only_gauges;
};

/* Returns 0 or -errno with a sentence.  A recording without buckets gives no columns and is no
 * error. */
int plot_data_build(struct recording *recording, const struct plot_choice *choice,
                    struct plot_data *data, struct fault *fault);
void plot_data_fini(struct plot_data *data);

int64_t plot_instant_total(const struct plot_data *data, const struct plot_instant *instant);
