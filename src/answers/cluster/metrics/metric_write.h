/* metric_write.h - writes the answers of `memoir metrics`.  Write errors stay in `out`, which the
 * caller must check. */
#pragma once

#include <stdio.h>

#include "cluster/metrics/metric_curves.h"
#include "report/text/text_style.h"

enum metric_form { METRIC_TEXT, METRIC_CSV, METRIC_JSON };

/* Lists all metrics: type, series, nodes, help. */
void metric_list_write(const struct series_set *set, enum metric_form form,
                       const struct text_style *style, FILE *out);
/* Lists all nodes: name, role, class, number of answers, first and last time, failures. */
void metric_nodes_write(const struct series_set *set, enum metric_form form,
                        const struct text_style *style, FILE *out);

/* Writes the curves: in text the minimum, mean, maximum and last value of each; in CSV and JSON
 * every point. */
void metric_curves_write(const struct metric_curves *curves, const struct run *run,
                         enum metric_form form, const struct text_style *style, FILE *out);
/* Writes count, max, min and max-min of each raw counter; then the mean over nodes of max, or of
 * max-min. */
int metric_spread_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, bool is_max_min, FILE *out,
                        struct fault *fault);
/* Draws one chart per metric, with one line per curve.  Returns 0; -ENODATA if there are no curves;
 * -ENOMEM. */
int metric_curves_draw(const struct metric_curves *curves, const struct run *run,
                       struct svg_out *out);

/* Writes everything as OpenMetrics for back-filling, with the labels n and role; one family after
 * the other, and each series sorted by time.  Returns 0, -ENOMEM, or -ENODATA if nothing was asked
 * for. */
int metric_export_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, FILE *out);
