/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/bucket_walk.h"

#include <errno.h>

#include "analyze/sums/sum_tree.h"
#include "base/human.h"
#include "base/invariant.h"

#define CELLS_KEPT_MAX   (8u << 20) /* 128 MiB of cells. */
#define CELLS_KEPT_LARGE (2u << 20) /* When the recording has sums. */

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
    INVARIANT(*first <= *end && *end <= count);
    if (*end == *first)
        return range->from_ns > 0 ? -ERANGE : 0;
    if (range->from_ns > 0)
        range->from_ns = buckets[*first].begin_ns;
    return 0;
}

struct bucket_walk {
    struct recording *recording;
    struct bucket_visitor visitor;
    size_t first, end; /* The buckets to visit. */
    size_t from, to;   /* The visited buckets that lie completely inside the asked range. */
    size_t kept_most;  /* Number of cells that may stay in memory. */
    bool has_forgotten;
    const bool *added;          /* Columns that are added up; NULL: visit each bucket by itself. */
    bool has_totals;            /* Visit each bucket by itself, with totals instead of stacks. */
    size_t drawn;               /* Buckets from this one on are drawn, not only added up. */
    bool is_coarse;             /* There are enough stretches to draw them. */
    struct bucket_cells summed; /* Or some columns of one bucket. */
};

/* Unloads the buckets that earlier walks kept and this walk does not visit. */
static void forget_others(struct bucket_walk *walk)
{
    struct recording *recording = walk->recording;
    for (size_t i = 0; i < recording->buckets.count; i++)
        if (i < walk->first || i >= walk->end)
            recording_unload_bucket(recording, &recording->buckets.items[i]);
    walk->has_forgotten = true;
}

/* Whether the bucket may be visited with some columns only, for that is all the visitor adds up.
 * Memory that another walk would use again is only kept for those who ask many times. */
static bool is_read_in_part(const struct bucket_walk *walk, size_t at)
{
    const struct recording *recording = walk->recording;
    const struct bucket *bucket = &recording->buckets.items[at];
    return walk->added && at >= walk->from && at < walk->to && recording->read_columns &&
           bucket->file_offset && !bucket->cells && !bucket->thread_cells && !bucket->moments &&
           (walk->has_forgotten || !sum_tree_of(recording));
}

static int visit_columns(struct bucket_walk *walk, size_t at, struct fault *fault)
{
    struct recording *recording = walk->recording;
    struct bucket stand_in = recording->buckets.items[at];
    int const err =
        recording->read_columns(recording, &stand_in, walk->added, &walk->summed, fault);
    if (err)
        return err;
    stand_in.cells = walk->summed.cells.items;
    stand_in.cell_count = walk->summed.cells.count;
    stand_in.thread_cells = walk->summed.thread_cells.items;
    stand_in.thread_cell_count = walk->summed.thread_cells.count;
    walk->visitor.visit(walk->visitor.into, &stand_in);
    return 0;
}

static int visit_bucket(struct bucket_walk *walk, size_t at, struct fault *fault)
{
    INVARIANT(at >= walk->first && at < walk->end);
    struct recording *recording = walk->recording;
    struct bucket *bucket = &recording->buckets.items[at];
    if (is_read_in_part(walk, at))
        return visit_columns(walk, at, fault);
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

static int visit_sum(struct bucket_walk *walk, const struct sum_node *sum,
                     const struct bucket *first, const struct bucket *last)
{
    INVARIANT(first->begin_ns <= last->end_ns);
    struct bucket_cells *summed = &walk->summed;
    int const err = sum_node_decode(sum, walk->added, summed);
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

static int visit_totals(struct bucket_walk *walk, size_t at, struct fault *fault)
{
    const struct sum_tree *tree = sum_tree_of(walk->recording);
    struct cell_list *cells = &walk->summed.cells;
    if (!tree || !sum_tree_totals(tree, at, cells))
        return visit_bucket(walk, at, fault);
    struct bucket stand_in = walk->recording->buckets.items[at];
    stand_in.cells = cells->items;
    stand_in.cell_count = cells->count;
    stand_in.thread_cells = NULL;
    stand_in.moments = NULL;
    stand_in.thread_cell_count = stand_in.moment_count = 0;
    walk->visitor.visit(walk->visitor.into, &stand_in);
    return 0;
}

/* Finds a sum for several buckets from `at` on; *count is set to their number.  NULL: none. */
static const struct sum_node *find_sum(const struct bucket_walk *walk, size_t at, size_t *count)
{
    const struct sum_tree *tree = walk->added ? sum_tree_of(walk->recording) : NULL;
    if (!tree || at < walk->from || at >= walk->to)
        return NULL;
    INVARIANT(at < walk->end);
    if (at < walk->drawn)
        return sum_tree_find(tree, at, walk->drawn < walk->to ? walk->drawn : walk->to, count);
    return walk->is_coarse ? sum_tree_stretch_at(tree, at, walk->to, count) : NULL;
}

static int visit_all(struct bucket_walk *walk, struct fault *fault)
{
    const struct bucket *buckets = walk->recording->buckets.items;
    int err = 0;
    for (size_t at = walk->first, count; at < walk->end && !err; at += count) {
        const struct sum_node *sum = find_sum(walk, at, &count);
        INVARIANT(!sum || (count > 0 && at + count <= walk->end));
        if (!sum) {
            count = 1;
            err = walk->has_totals ? visit_totals(walk, at, fault) : visit_bucket(walk, at, fault);
        } else if ((err = visit_sum(walk, sum, &buckets[at], &buckets[at + count - 1])) < 0) {
            fault_set(fault, err, "out of memory while adding up the recording");
        }
    }
    return err;
}

/* Finds the buckets of the range, and which of them lie completely inside it.  Returns false when
 * there is nothing to visit; *err is then 0 if that is no error. */
static bool enter(struct bucket_walk *walk, struct time_range *range, struct fault *fault, int *err)
{
    char ends[HUMAN_MAX];
    struct recording *recording = walk->recording;
    struct time_range const asked = *range;
    *err = find_buckets(recording, range, &walk->first, &walk->end);
    if (*err) {
        *err = fault_set(fault, *err, "nothing was recorded in that time: the recording is %s long",
                         human_duration(recording->duration_ns, ends));
        return false;
    }
    range->to_ns = 0;
    if (walk->end == walk->first)
        return false;
    const struct bucket *first = &recording->buckets.items[walk->first];
    const struct bucket *last = &recording->buckets.items[walk->end - 1];
    range->to_ns = last->end_ns;
    walk->from = walk->first + (first->begin_ns < asked.from_ns);
    walk->to = walk->end - (last->end_ns > asked.to_ns);
    INVARIANT(walk->from <= walk->end && walk->to >= walk->first);
    walk->kept_most = sum_tree_is_large(sum_tree_of(recording)) ? CELLS_KEPT_LARGE : CELLS_KEPT_MAX;
    walk->drawn = walk->end;
    return true;
}

static int walk_all(struct bucket_walk *walk, struct fault *fault)
{
    int const err = visit_all(walk, fault);
    bucket_cells_fini(&walk->summed);
    return err;
}

int bucket_walk_sums(struct recording *recording, struct time_range *range,
                     struct bucket_visitor visitor, const bool *added, struct fault *fault)
{
    struct bucket_walk walk = {.recording = recording, .visitor = visitor, .added = added};
    int err;
    return enter(&walk, range, fault, &err) ? walk_all(&walk, fault) : err;
}

int bucket_walk_totals(struct recording *recording, struct time_range *range,
                       struct bucket_visitor visitor, struct fault *fault)
{
    struct bucket_walk walk = {.recording = recording, .visitor = visitor, .has_totals = true};
    int err;
    return enter(&walk, range, fault, &err) ? walk_all(&walk, fault) : err;
}

int bucket_walk_drawn(struct recording *recording, struct time_range *range,
                      struct bucket_visitor visitor, struct drawn_columns drawn,
                      struct fault *fault)
{
    struct bucket_walk walk = {.recording = recording, .visitor = visitor, .added = drawn.added};
    int err;
    if (!enter(&walk, range, fault, &err))
        return err;
    for (walk.drawn = walk.first; walk.drawn < walk.end; walk.drawn++)
        if (recording->buckets.items[walk.drawn].end_ns > drawn.from_ns)
            break;
    INVARIANT(walk.drawn >= walk.first && walk.drawn <= walk.end);
    walk.is_coarse =
        sum_tree_of(recording) && sum_tree_can_draw(sum_tree_of(recording), walk.drawn, walk.end);
    return walk_all(&walk, fault);
}

int bucket_walk(struct recording *recording, struct time_range *range,
                struct bucket_visitor visitor, struct fault *fault)
{
    return bucket_walk_sums(recording, range, visitor, NULL, fault);
}
