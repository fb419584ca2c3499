/* metric_curves.h - metrics of a run as a question asks for them: rates of counters, sums,
 * differences, quantiles; one curve per node and set of labels.
 *
 * Every curve has a point for each answer of its node, and for each that it should have given
 * since its first; where a number is missing it is NaN. */
#pragma once

#include "cluster/runs/node_groups.h"
#include "cluster/metrics/series.h"
#include "report/plot/line_chart.h"

enum curve_mode {
    CURVE_USUAL, /* counters as rate, all others as they are */
    CURVE_RAW,
    CURVE_RATE,  /* per second; an error for gauges */
    CURVE_DELTA, /* what was gained since the answer before; an error for gauges */
    CURVE_QUANTILE
};

struct label_filter { /* "label=value"; n and role are the node's */
    char *label, *value;
};
struct curve_question {
    VEC(const char *) names;
    enum curve_mode mode;
    bool is_sum;                      /* over all labels of a node */
    bool is_difference;               /* of the first name and the second: both gauges */
    double quantile;                  /* of histograms, 0 to 1 */
    VEC(struct label_filter) filters; /* different labels all, values of one label any */
};

struct metric_curve {
    uint32_t node;
    const char *label;  /* of the group the node is in, "" */
    const char *metric; /* its name */
    char *labels;       /* "{a="b"}", or "" */
    const char *unit;
    enum curve_mode mode; /* that it was made in */
    int64_t begin_us;     /* of the first answer that has it */
    VEC(struct chart_point) points;
    VEC(int64_t)
    lives; /* when the node, or a counter of it, was seen to have begun anew; ascending */
};
struct metric_curves {
    VEC(struct metric_curve) curves; /* by name as asked for, then labels, then node */
    char difference[300];            /* "A_-_B" */
};

/* Adds "label=value".  Returns 0 or -EINVAL with a sentence. */
int curve_question_filter(struct curve_question *question, const char *text, struct fault *fault);
void curve_question_fini(struct curve_question *question);
/* For series_read: whether the question needs a series. */
bool curve_question_wants(void *question, const struct exposition_series *series);
/* Returns whether the labels, and the node, are those that are asked for. */
bool curve_question_fits(const struct curve_question *question, const struct series_set *set,
                         const struct series *series);

/* Returns 0 or -errno with a sentence: no such metric, a gauge where a counter is needed, … */
int metric_curves_make(struct metric_curves *curves, const struct series_set *set,
                       const struct curve_question *question, const struct node_groups *groups,
                       struct fault *fault);
void metric_curves_fini(struct metric_curves *curves);
/* Inside metric_curves_make: points for answers that never came.  Returns 0 or -ENOMEM. */
int metric_curves_add_gaps(struct metric_curves *curves, const struct series_set *set);

/* Returns the group of a node: the first that has it; NULL: none. */
const struct node_group *node_group_of(const struct node_groups *groups, uint32_t node);

struct histogram_bucket {
    double bound, count; /* at most `bound`: cumulative */
};
/* By straight lines inside a bucket; NaN when there is nothing in it.  Buckets by bound, the
 * last +Inf. */
double histogram_quantile(const struct histogram_bucket *buckets, size_t count, double quantile);
