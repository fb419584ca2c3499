/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/metrics/metric_write.h"

struct metric_spread {
    size_t count;
    double min, max;
};

/* Of one metric: the sum over the counters of each node. */
struct node_sums {
    double *values; /* by node; NaN: it has none */
    uint32_t count;
    bool is_max_min;
};

static struct metric_spread spread_of(const struct metric_curve *curve)
{
    struct metric_spread spread = {.min = NAN, .max = NAN};
    vec_each (point, &curve->points) {
        spread.count += !isnan(point->y);
        spread.min = fmin(spread.min, point->y);
        spread.max = fmax(spread.max, point->y);
    }
    return spread;
}

static void put_spread(const struct run *run, const struct metric_curve *curve,
                       struct metric_spread spread, FILE *out)
{
    text_write(out, run->nodes.items[curve->node].name, 80);
    putc(' ', out);
    text_write(out, curve->metric, 200);
    text_write(out, curve->labels, 400);
    fprintf(out, ": count %zu, max %.17g, min %.17g, max-min %.17g\n", spread.count, spread.max,
            spread.min, spread.max - spread.min);
}

static void put_mean(const struct node_sums *sums, const char *name, FILE *out)
{
    double sum = 0;
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < sums->count; i++)
        if (!isnan(sums->values[i])) {
            sum += sums->values[i];
            nodes++;
        }
    fprintf(out, "%s: mean of %s %.17g over %" PRIu32 " node%s\n", name,
            sums->is_max_min ? "max-min" : "max", nodes ? sum / nodes : 0, nodes,
            nodes == 1 ? "" : "s");
}

static void put_name(const struct metric_curves *curves, const struct run *run,
                     struct node_sums *sums, FILE *out)
{
    for (uint32_t i = 0; i < sums->count; i++)
        sums->values[i] = NAN;
    vec_each (curve, &curves->curves) {
        struct metric_spread const spread = spread_of(curve);
        double const value = sums->is_max_min ? spread.max - spread.min : spread.max;
        double *into = &sums->values[curve->node];
        put_spread(run, curve, spread, out);
        *into = isnan(*into) ? value : *into + value;
    }
}

static int refuse_gauges(const struct series_set *set, const char *name, struct fault *fault)
{
    const struct series *series;
    size_t const count = series_find(set, name, &series);
    for (size_t i = 0; i < count; i++)
        if (!series[i].is_cumulative && series[i].family->type != EXPOSITION_UNKNOWN)
            return fault_set(fault, -ENODATA,
                             "%s is a %s: --avg-max and --avg-max-min are about counters", name,
                             exposition_type_name(series[i].family->type));
    return 0;
}

int metric_spread_write(const struct series_set *set, const struct curve_question *question,
                        const struct node_groups *groups, bool is_max_min, FILE *out,
                        struct fault *fault)
{
    struct node_sums sums = {
        .values = calloc(set->run->nodes.count + 1, sizeof(double)),
        .count = (uint32_t)set->run->nodes.count,
        .is_max_min = is_max_min,
    };
    int err = sums.values ? 0 : fault_set(fault, -ENOMEM, "out of memory");
    for (size_t i = 0; !err && i < question->names.count; i++) {
        const char *name = question->names.items[i];
        struct curve_question one = *question;
        struct metric_curves curves;
        one.mode = CURVE_RAW;
        one.names.items = &name;
        one.names.count = 1;
        err = refuse_gauges(set, name, fault);
        if (!err)
            err = metric_curves_make(&curves, set, &one, groups, fault);
        if (err)
            break;
        put_name(&curves, set->run, &sums, out);
        put_mean(&sums, name, out);
        metric_curves_fini(&curves);
    }
    free(sums.values);
    return err;
}
