/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/bucket_walk.h"

#include <errno.h>

#include "analyze/sum_tree.h"
#include "base/human.h"

#define CELLS_KEPT_MAX   (8u << 20) /* 128 MiB of cells */
#define CELLS_KEPT_LARGE (2u << 20) /* where the rest is there as sums */

static int find_buckets(const struct recording *recording, struct time_range *range, size_t *first,
                        size_t *end)
{
    size_t const count = recording->buckets.count;
    const struct bucket *buckets = recording->buckets.items;

    *first = 0;
    while (*first < count && buckets[*first].end_ns <= range->from_ns)
        (*first)++;
    *end = *first;
    while (*end < count && buckets[*end].begin_ns < range->to_ns)
        (*end)++;
    if (*end == *first)
        return range->from_ns > 0 ? -ERANGE : 0;
    if (range->from_ns > 0)
        range->from_ns = buckets[*first].begin_ns;
    return 0;
}

struct walk {
    struct recording *recording;
    struct bucket_visitor visitor;
    size_t first, end; /* the buckets to visit */
    size_t from, to;   /* of those, the ones that are whole in what was asked */
    size_t kept_most;  /* cells that may stay in memory */
    bool has_forgotten;
    const bool *added; /* NULL: each is visited by itself */
    struct summed_cells summed;
};

/* What earlier walks kept and this one does not visit makes room. */
static void forget_others(struct walk *walk)
{
    struct recording *recording = walk->recording;
    for (size_t i = 0; i < recording->buckets.count; i++)
        if (i < walk->first || i >= walk->end)
            recording_unload_bucket(recording, &recording->buckets.items[i]);
    walk->has_forgotten = true;
}

static int visit_bucket(struct walk *walk, size_t at, struct fault *fault)
{
    struct recording *recording = walk->recording;
    struct bucket *bucket = &recording->buckets.items[at];
    int err = recording_load_bucket(recording, bucket, fault);
    if (err)
        return err;
    walk->visitor.visit(walk->visitor.into, bucket);
    if (recording->loaded_cells > walk->kept_most && !walk->has_forgotten)
        forget_others(walk);
    if (recording->loaded_cells > walk->kept_most)
        recording_unload_bucket(recording, bucket);
    return 0;
}

static int visit_sum(struct walk *walk, const struct sum_node *sum, const struct bucket *first,
                     const struct bucket *last)
{
    struct summed_cells *summed = &walk->summed;
    int const err = sum_node_take(sum, walk->added, summed);
    if (err)
        return err;
    struct bucket const stand_in = {.begin_ns = first->begin_ns,
                                    .end_ns = last->end_ns,
                                    .gauges = {-1, -1, -1, -1},
                                    .cells = summed->cells.items,
                                    .cell_count = summed->cells.count,
                                    .thread_cells = summed->thread_cells.items,
                                    .thread_cell_count = summed->thread_cells.count};
    walk->visitor.visit(walk->visitor.into, &stand_in);
    return 0;
}

static int visit_all(struct walk *walk, struct fault *fault)
{
    const struct bucket *buckets = walk->recording->buckets.items;
    const struct sum_tree *tree = walk->added ? walk->recording->sums : NULL;
    int err = 0;
    for (size_t at = walk->first, count; at < walk->end && !err; at += count) {
        const struct sum_node *sum = tree && at >= walk->from && at < walk->to
                                         ? sum_tree_find(tree, at, walk->to, &count)
                                         : NULL;
        if (!sum) {
            count = 1;
            err = visit_bucket(walk, at, fault);
        } else if ((err = visit_sum(walk, sum, &buckets[at], &buckets[at + count - 1])) < 0) {
            fault_set(fault, err, "out of memory while adding up the recording");
        }
    }
    return err;
}

int bucket_walk_sums(struct recording *recording, struct time_range *range,
                     struct bucket_visitor visitor, const bool *added, struct fault *fault)
{
    char ends[HUMAN_MAX];
    struct time_range const asked = *range;
    struct walk walk = {.recording = recording, .visitor = visitor, .added = added};

    if (find_buckets(recording, range, &walk.first, &walk.end) < 0)
        return fault_set(fault, -ERANGE,
                         "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, ends));
    range->to_ns = 0;
    if (walk.end == walk.first)
        return 0;
    const struct bucket *first = &recording->buckets.items[walk.first];
    const struct bucket *last = &recording->buckets.items[walk.end - 1];
    range->to_ns = last->end_ns;
    walk.from = walk.first + (first->begin_ns < asked.from_ns);
    walk.to = walk.end - (last->end_ns > asked.to_ns);
    walk.kept_most = sum_tree_is_large(recording->sums) ? CELLS_KEPT_LARGE : CELLS_KEPT_MAX;
    int const err = visit_all(&walk, fault);
    summed_cells_fini(&walk.summed);
    return err;
}

int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault)
{
    return bucket_walk_sums(recording, range, visitor, NULL, fault);
}
