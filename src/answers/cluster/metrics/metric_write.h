/* metric_write.h - the answers of `memoir metrics`.  Errors of writing stay in `out`. */
#pragma once

#include <stdio.h>

#include "cluster/metrics/metric_curves.h"
#include "report/text/text_style.h"

enum metric_form { METRIC_TEXT, METRIC_CSV, METRIC_JSON };

/* Every metric there is: type, series, nodes, help. */
void metric_list_write(const struct series_set *set, enum metric_form form,
                       const struct text_style *style, FILE *out);
/* Every node: name, role, class, answers, from when to when, failures. */
void metric_nodes_write(const struct series_set *set, enum metric_form form,
                        const struct text_style *style, FILE *out);

/* The curves: as text lowest, mean, highest and last of each; as CSV and JSON every point. */
void metric_curves_write(const struct metric_curves *curves, const struct run *run,
                         enum metric_form form, const struct text_style *style, FILE *out);
/* Of raw counters: count, max, min, max-min of each; then the mean over nodes of max, or of
 * max-min. */
int metric_spread_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, bool is_max_min, FILE *out,
                        struct fault *fault);
/* One chart per metric, one line per curve.  0; -ENODATA when there are none; -ENOMEM. */
int metric_curves_draw(const struct metric_curves *curves, const struct run *run,
                       struct svg_out *out);

/* Everything as OpenMetrics for back-filling, with the labels n and role, families apart, each
 * series in order of time.  Returns 0, -ENOMEM, or -ENODATA when nothing is asked for. */
int metric_export_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, FILE *out);
