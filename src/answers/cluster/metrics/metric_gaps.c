/* SPDX-License-Identifier: Apache-2.0 */
/* metric_gaps.c - requests that a node did not answer: each is a point without a number, so that
 * charts draw no line over it, and each is counted. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/metrics/metric_curves.h"
#include "cluster/metrics/missed_ticks.h"

static int64_t last_tick(const struct series_set *set)
{
    int64_t last = 0;
    vec_each (scrape, &set->scrapes)
        last = scrape->file->stamp_us > last ? scrape->file->stamp_us : last;
    return last;
}

static int find_missed(const struct series_set *set, uint32_t node, int64_t end_us,
                       tick_list *missed)
{
    tick_list stamps = {0};
    uint32_t first;
    uint32_t const count = series_scrapes_of(set, node, &first);
    int err = 0;
    for (uint32_t i = 0; i < count && !err; i++)
        err = vec_push(&stamps, set->scrapes.items[first + i].file->stamp_us) ? 0 : -ENOMEM;
    if (!err)
        err = missed_ticks(set->run, &stamps, end_us, missed);
    vec_free(&stamps);
    return err;
}

/* Both are in order; where times of answers and stamps disagree, order goes first. */
static int insert(struct metric_curve *curve, const tick_list *missed)
{
    struct metric_curve whole = {0};
    size_t next = 0;
    if (!vec_reserve(&whole.points, curve->points.count + missed->count))
        return -ENOMEM;
    vec_each (point, &curve->points) {
        for (; next < missed->count && missed->items[next] < point->x; next++)
            vec_push(&whole.points, (struct chart_point){missed->items[next], NAN});
        vec_push(&whole.points, *point); /* room was made */
    }
    for (; next < missed->count; next++)
        vec_push(&whole.points, (struct chart_point){missed->items[next], NAN});
    vec_free(&curve->points);
    curve->points.items = whole.points.items;
    curve->points.count = whole.points.count;
    curve->points.room = whole.points.room;
    return 0;
}

int metric_curves_add_gaps(struct metric_curves *curves, const struct series_set *set)
{
    size_t const nodes = set->run->nodes.count;
    int64_t const end_us = last_tick(set);
    tick_list *missed = calloc(nodes + 1, sizeof(*missed));
    bool *is_found = calloc(nodes + 1, sizeof(*is_found));
    int err = missed && is_found ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < curves->curves.count; i++) {
        struct metric_curve *curve = &curves->curves.items[i];
        if (!is_found[curve->node])
            err = find_missed(set, curve->node, end_us, &missed[curve->node]);
        is_found[curve->node] = true;
        if (!err && missed[curve->node].count)
            err = insert(curve, &missed[curve->node]);
    }
    for (size_t i = 0; missed && i < nodes; i++)
        vec_free(&missed[i]);
    free(missed);
    free(is_found);
    return err;
}
