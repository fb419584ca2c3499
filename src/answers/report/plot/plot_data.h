/* plot_data.h - a recording as curves over time.
 *
 * A column is a time range with a position of its own in the plot: one bucket, or several
 * neighbours if there are more buckets than positions.  An instant is a time whose stacks are
 * known: a boundary between columns, or a pin (most of all the peak).  So a peak between two
 * boundaries is shown with its call sites. */
#pragma once

#include "analyze/sums/weigh.h"
#include "base/pattern/pattern.h"

#define PLOT_SITES_MAX 16
#define PLOT_LANES     6
#define PLOT_UNKNOWN   INT64_MIN

/* Further metrics.  Each is one curve, the sum over all stacks. */
extern const char *const plot_lanes[PLOT_LANES];

struct plot_column {
    uint64_t begin_ns, end_ns;
    struct gauges gauges; /* last value at the end, largest and smallest of all; -1: not measured */
    int64_t pss_bytes;    /* last value read in the column; -1: none was read */
    uint64_t lost_events;
    int64_t allocated_bytes, allocated_calls; /* in this column */
    /* a level at the end of the column, PLOT_UNKNOWN before the first value; for a counter, the
     * increase within the column */
    int64_t lanes[PLOT_LANES];
};

struct plot_site {
    string_id function;
    double area; /* area of the site in the plot, by which sites are ranked */
};

struct plot_instant {
    uint64_t time_ns;
    int64_t values[PLOT_SITES_MAX + 1]; /* by site; [site_count] is the sum of all others */
};

struct plot_data {
    const struct metric *metric;
    /* the metric is a counter: values are per second, and are valid from the instant before */
    bool is_rate;
    struct time_range range; /* after snapping to buckets; never empty, so that it can be an axis */
    VEC(struct plot_column) columns;
    VEC(struct plot_instant) instants; /* sorted by time; the first is the beginning of the range */
    struct plot_site sites[PLOT_SITES_MAX];
    unsigned site_count;
    bool has_lane[PLOT_LANES]; /* the recording has values of the metric */
};

struct plot_choice {
    const struct metric *metric; /* heap.peak and heap.leaked are drawn as heap.live */
    struct time_range range;
    unsigned top;         /* number of sites with a curve of their own; at most PLOT_SITES_MAX */
    unsigned max_columns; /* at least 1 */
    /* sites: only stacks with a frame that matches; NULL: all.  Columns and lanes always have all
     * stacks */
    const struct pattern *filter;
    /* sites are functions as memoir report --by function has them; otherwise, the first informative
     * function of a stack */
    bool by_function;
    /* only resident memory and live heap; no sites, lanes or rates.  Then no cells are read, which
     * is faster for a large recording */
    bool only_gauges;
};

/* Returns 0 or -errno with a sentence.  A recording without buckets gives a plot without columns;
 * that is not an error. */
int plot_data_build(struct recording *recording, const struct plot_choice *choice,
                    struct plot_data *data, struct fault *fault);
void plot_data_fini(struct plot_data *data);

int64_t plot_instant_total(const struct plot_data *data, const struct plot_instant *instant);
