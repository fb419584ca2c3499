/* metric_curves.h - curves from the metrics of a run: rates of counters, sums, differences,
 * quantiles; one curve per node and set of labels.
 *
 * Each curve has a point for each answer of its node, and for each missing answer since the first;
 * a missing number is NaN. */
#pragma once

#include "cluster/runs/node_groups.h"
#include "cluster/metrics/series.h"
#include "report/plot/line_chart.h"

enum curve_mode {
    CURVE_USUAL, /* counters as rate, all others unchanged */
    CURVE_RAW,
    CURVE_RATE,  /* per second; an error for gauges */
    CURVE_DELTA, /* increase since the answer before; an error for gauges */
    CURVE_QUANTILE
};

struct label_filter { /* "label=value"; the labels n and role are those of the node */
    char *label, *value;
};
struct curve_question {
    VEC(const char *) names;
    enum curve_mode mode;
    bool is_sum;        /* sum over all labels of a node */
    bool is_difference; /* difference of the first two names, which must be gauges */
    double quantile;    /* for histograms, 0 to 1 */
    /* filters of different labels must all match; of filters of one label, any */
    VEC(struct label_filter) filters;
};

struct metric_curve {
    uint32_t node;
    const char *label;  /* label of the group that the node is in, or "" */
    const char *metric; /* name of the metric */
    char *labels;       /* "{a="b"}", or "" */
    const char *unit;
    enum curve_mode mode; /* actual mode */
    int64_t begin_us;     /* time of the first answer with a value */
    VEC(struct chart_point) points;
    VEC(int64_t)
    lives; /* times when the node was seen to have restarted, or a counter to be reset; ascending */
};
struct metric_curves {
    /* sorted by name in the order of the question, then by labels, then by node */
    VEC(struct metric_curve) curves;
    char difference[300]; /* "A_-_B" */
};

/* Adds a filter "label=value".  Returns 0 or -EINVAL with a sentence. */
int curve_question_filter(struct curve_question *question, const char *text, struct fault *fault);
void curve_question_fini(struct curve_question *question);
/* Callback for series_read: whether the question needs a series. */
bool curve_question_wants(void *question, const struct exposition_series *series);
/* Returns whether the labels and the node of a series match the question. */
bool curve_question_fits(const struct curve_question *question, const struct series_set *set,
                         const struct series *series);

/* Makes the curves.  Returns 0; or -errno with a sentence: no such metric, a gauge where a counter
 * is needed, … */
int metric_curves_make(struct metric_curves *curves, const struct series_set *set,
                       const struct curve_question *question, const struct node_groups *groups,
                       struct fault *fault);
void metric_curves_fini(struct metric_curves *curves);
/* Inside metric_curves_make: adds points for missing answers.  Returns 0 or -ENOMEM. */
int metric_curves_add_gaps(struct metric_curves *curves, const struct series_set *set);

/* Returns the first group with the node; NULL: none. */
const struct node_group *node_group_of(const struct node_groups *groups, uint32_t node);

struct histogram_bucket {
    double bound, count; /* number of values up to `bound`, cumulative */
};
/* Returns the quantile, interpolated linearly within a bucket; NaN if there are no values.  Buckets
 * are sorted by bound, and the last bound is +Inf. */
double histogram_quantile(const struct histogram_bucket *buckets, size_t count, double quantile);
