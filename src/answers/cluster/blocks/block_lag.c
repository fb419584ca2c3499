/* SPDX-License-Identifier: Apache-2.0 */
/* block_lag.c - compares histories of several nodes: which node had each block first, and how long
 * the other nodes waited for it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cluster/blocks/block_stats.h"

/* Where each history is, while all are gone through by height. */
struct block_walk {
    const struct block_stats *stats;
    size_t next;
    VEC(double) late;
};

static const struct block_point *point_at(struct block_walk *walk, uint64_t height)
{
    while (walk->next < walk->stats->points.count &&
           walk->stats->points.items[walk->next].height < height)
        walk->next++;
    const struct block_point *point =
        walk->next < walk->stats->points.count ? &walk->stats->points.items[walk->next] : NULL;
    bool const is_timed = point && (!point->is_ours || point->within_ns >= 0);
    return point && point->height == height && is_timed ? point : NULL;
}

/* The lowest height that any has and that was not looked at yet; false: none. */
static bool next_height(const struct block_walk *walks, size_t count, uint64_t *height)
{
    bool is_there = false;
    for (size_t i = 0; i < count; i++) {
        if (walks[i].next >= walks[i].stats->points.count)
            continue;
        uint64_t const here = walks[i].stats->points.items[walks[i].next].height;
        if (!is_there || here < *height)
            *height = here;
        is_there = true;
    }
    return is_there;
}

static int compare_height(struct block_walk *walks, size_t count, uint64_t height,
                          struct block_lag *lags)
{
    const struct block_point *first = NULL;
    size_t present = 0;
    for (size_t i = 0; i < count; i++) {
        const struct block_point *point = point_at(&walks[i], height);
        present += point != NULL;
        if (point && (!first || point->arrival_ns < first->arrival_ns))
            first = point;
    }
    for (size_t i = 0; i < count; i++) {
        const struct block_point *point = point_at(&walks[i], height);
        if (present >= 2 && point) {
            lags[i].compared++;
            if ((double)point->within_ns / 1e9 > lags[i].within_s)
                lags[i].within_s = (double)point->within_ns / 1e9;
            lags[i].first += point->arrival_ns == first->arrival_ns;
            if (!vec_push(&walks[i].late, (double)(point->arrival_ns - first->arrival_ns) / 1e9))
                return -ENOMEM;
        }
        if (walks[i].next < walks[i].stats->points.count &&
            walks[i].stats->points.items[walks[i].next].height == height)
            walks[i].next++;
    }
    return 0;
}

static int by_size(const void *a, const void *b)
{
    double const x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void conclude(struct block_walk *walk, struct block_lag *lag)
{
    size_t const count = walk->late.count;
    double sum = 0;
    if (count == 0)
        return;
    vec_each (late, &walk->late)
        sum += *late;
    qsort(walk->late.items, count, sizeof(double), by_size);
    lag->mean_s = sum / (double)count;
    lag->median_s = walk->late.items[count / 2];
    lag->p95_s = walk->late.items[(size_t)((double)(count - 1) * 0.95)];
    lag->max_s = walk->late.items[count - 1];
}

int block_lag_find(const struct block_stats *stats, size_t count, struct block_lag *lags)
{
    struct block_walk *walks = calloc(count + 1, sizeof(*walks));
    uint64_t height = 0;
    int err = walks ? 0 : -ENOMEM;
    for (size_t i = 0; !err && i < count; i++) {
        walks[i].stats = &stats[i];
        lags[i] = (struct block_lag){0};
    }
    while (!err && next_height(walks, count, &height))
        err = compare_height(walks, count, height, lags);
    for (size_t i = 0; walks && i < count; i++) {
        if (!err)
            conclude(&walks[i], &lags[i]);
        vec_free(&walks[i].late);
    }
    free(walks);
    return err;
}
