/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/sum_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/sums/sum_parts.h"
#include "base/clock.h"
#include "base/invariant.h"

#define LEVELS_MOST    16
#define BUCKETS_JUDGED 32u
#define DRAWN_LEAST    120u /* Stretches that are enough for a picture. */
#define DRAWN_SHARE    2u   /* One half of the memory is for drawing. */

struct sum_level {
    VEC(struct sum_node) nodes; /* Sorted by time, from the beginning, without gaps. */
};

struct sum_tree {
    struct sum_limits limits;
    struct sum_drawing drawing;
    struct sum_level levels[LEVELS_MOST];
    size_t stretch; /* Buckets per node of levels[0]; SUM_FAN times as many on each level above. */
    size_t bytes;
    size_t added;                        /* Buckets in leaves or in the leaf being summed. */
    struct cell_sum cells, thread_cells; /* The leaf being summed. */
    bool has_hole;                       /* A bucket of that leaf cannot be read. */
    struct byte_buffer scratch;
    size_t judged; /* Number of buckets when the recording was last found small. */
    bool is_large, is_over;
};

static void node_fini(struct sum_tree *tree, struct sum_node *node)
{
    INVARIANT(tree->bytes >= node->cells.size + node->thread_cells.size);
    tree->bytes -= node->cells.size + node->thread_cells.size;
    packed_cells_fini(&node->cells);
    packed_cells_fini(&node->thread_cells);
}

static void level_fini(struct sum_tree *tree, struct sum_level *level)
{
    vec_each (node, &level->nodes)
        node_fini(tree, node);
    vec_free(&level->nodes);
}

static void destroy(void *data)
{
    struct sum_tree *tree = data;
    for (size_t i = 0; i < LEVELS_MOST; i++)
        level_fini(tree, &tree->levels[i]);
    INVARIANT(tree->bytes == 0); /* All additions were undone. */
    sum_drawing_fini(&tree->drawing);
    cell_sum_fini(&tree->cells);
    cell_sum_fini(&tree->thread_cells);
    bytes_free(&tree->scratch);
    free(tree);
}

static bool create(struct recording *recording, const struct sum_limits *limits)
{
    INVARIANT(limits->buckets > 0);
    struct sum_tree *tree = calloc(1, sizeof(*tree));
    if (!tree)
        return false;
    tree->stretch = limits->buckets;
    sum_drawing_begin(&tree->drawing, recording->buckets.count);
    recording->caches[CACHE_SUM_TREE] = (struct recording_cache){tree, destroy};
    return true;
}

static int finish_sum(struct sum_tree *tree, struct cell_sum *sum, struct packed_cells *packed)
{
    int const err = sum_pack(sum, packed, &tree->scratch);
    tree->bytes += packed->size;
    return err;
}

static int add_node(struct sum_tree *tree, struct sum_level *level, struct cell_sum *cells,
                    struct cell_sum *thread_cells, bool is_there)
{
    struct sum_node node = {.is_there = is_there};
    int err = 0;
    if (is_there)
        err = finish_sum(tree, cells, &node.cells);
    if (is_there && !err)
        err = finish_sum(tree, thread_cells, &node.thread_cells);
    if (!err && vec_push(&level->nodes, node))
        return 0;
    node_fini(tree, &node);
    return -ENOMEM;
}

/* Adds the sum of the last SUM_FAN nodes of the level below. */
static int add_parent(struct sum_tree *tree, size_t at)
{
    INVARIANT(at > 0 && at < LEVELS_MOST);
    struct cell_sum cells = {0}, thread_cells = {0};
    struct cell_list scratch = {0};
    const struct sum_level *below = &tree->levels[at - 1];
    INVARIANT(below->nodes.count >= SUM_FAN && below->nodes.count % SUM_FAN == 0);
    const struct sum_node *children = &below->nodes.items[below->nodes.count - SUM_FAN];
    bool is_there = true;
    int err = 0;
    for (size_t i = 0; i < SUM_FAN; i++)
        is_there &= children[i].is_there;
    for (size_t i = 0; i < SUM_FAN && is_there && !err; i++) {
        err = sum_unpack(&cells, &children[i].cells, &scratch);
        if (!err)
            err = sum_unpack(&thread_cells, &children[i].thread_cells, &scratch);
    }
    if (!err)
        err = add_node(tree, &tree->levels[at], &cells, &thread_cells, is_there);
    vec_free(&scratch);
    cell_sum_fini(&cells);
    cell_sum_fini(&thread_cells);
    return err;
}

static void begin_leaf(struct sum_tree *tree)
{
    tree->cells.list.count = tree->cells.tidy = 0;
    tree->thread_cells.list.count = tree->thread_cells.tidy = 0;
    tree->has_hole = false;
}

/* Drops the lowest level.  Buckets that were in no node of the level above are read again. */
static void lengthen_leaves(struct sum_tree *tree)
{
    level_fini(tree, &tree->levels[0]);
    for (size_t i = 1; i < LEVELS_MOST; i++)
        tree->levels[i - 1] = tree->levels[i];
    tree->levels[LEVELS_MOST - 1] = (struct sum_level){0};
    tree->stretch *= SUM_FAN;
    tree->added = tree->levels[0].nodes.count * tree->stretch;
    INVARIANT(tree->added % tree->stretch == 0);
    begin_leaf(tree);
}

/* Ends always: leaves that are longer than the recording are never finished. */
static void stay_within(struct sum_tree *tree)
{
    tree->is_over |=
        sum_drawing_fit(&tree->drawing, tree->limits.bytes_most / DRAWN_SHARE, &tree->scratch) < 0;
    while (tree->bytes > tree->limits.bytes_most - tree->limits.bytes_most / DRAWN_SHARE)
        lengthen_leaves(tree);
}

static int finish_leaf(struct sum_tree *tree)
{
    INVARIANT(tree->added % tree->stretch == 0);
    int err = add_node(tree, &tree->levels[0], &tree->cells, &tree->thread_cells, !tree->has_hole);
    begin_leaf(tree);
    INVARIANT(err || tree->levels[0].nodes.count * tree->stretch == tree->added);
    for (size_t at = 1; at < LEVELS_MOST && !err; at++) {
        if (tree->levels[at - 1].nodes.count % SUM_FAN)
            break;
        err = add_parent(tree, at);
    }
    stay_within(tree);
    return err;
}

/* `bucket` is NULL if it cannot be read.  A bucket may come more than once: lengthen_leaves reads
 * again. */
static int add_to_all(struct sum_tree *tree, const struct bucket *bucket)
{
    int err = 0;
    tree->has_hole |= !bucket;
    if (!tree->has_hole) {
        err = cell_sum_add(&tree->cells, bucket->cells, bucket->cell_count);
        if (!err)
            err =
                cell_sum_add(&tree->thread_cells, bucket->thread_cells, bucket->thread_cell_count);
    }
    if (!err && tree->added == tree->drawing.totals.count)
        err = sum_drawing_add(&tree->drawing, bucket, tree->limits.bytes_most / DRAWN_SHARE,
                              &tree->scratch);
    return err;
}

static int add_bucket(struct sum_tree *tree, struct recording *recording)
{
    INVARIANT(tree->added < recording->buckets.count && tree->stretch > 0);
    struct bucket *bucket = &recording->buckets.items[tree->added];
    bool const is_there = recording_load_bucket(recording, bucket, NULL) == 0;
    int err = add_to_all(tree, is_there ? bucket : NULL);
    if (is_there)
        recording_unload_bucket(recording, bucket);
    tree->added++;
    if (!err && tree->added % tree->stretch == 0)
        err = finish_leaf(tree);
    return err;
}

/* Estimates the number of cells from some buckets; again when there are twice as many buckets. */
static void judge(struct sum_tree *tree, struct recording *recording)
{
    size_t const count = recording->buckets.count;
    uint64_t cells = 0;
    if (count < 2 * tree->judged || count < tree->stretch * SUM_FAN)
        return;
    tree->judged = count;
    size_t const step = count / BUCKETS_JUDGED + 1;
    for (size_t i = 0; i < count; i += step) {
        struct bucket *bucket = &recording->buckets.items[i];
        bool const was_here = bucket->cells != NULL;
        if (recording_load_bucket(recording, bucket, NULL) < 0)
            continue;
        cells += (bucket->cell_count + bucket->thread_cell_count) * step;
        if (!was_here)
            recording_unload_bucket(recording, bucket);
    }
    tree->is_large = cells >= tree->limits.cells_least;
}

static bool has_more(const struct sum_tree *tree, const struct recording *recording)
{
    return tree->is_large && !tree->is_over && tree->added < recording->buckets.count;
}

bool sum_tree_advance(struct recording *recording, const struct sum_limits *limits,
                      uint64_t budget_ns)
{
    uint64_t const until_ns = monotonic_ns() + budget_ns;
    if (!sum_tree_of(recording) && !create(recording, limits))
        return false;
    struct sum_tree *tree = sum_tree_of(recording);
    tree->limits = *limits;
    stay_within(tree);
    if (!tree->is_large)
        judge(tree, recording);
    while (has_more(tree, recording)) {
        tree->is_over = add_bucket(tree, recording) < 0;
        if (monotonic_ns() >= until_ns)
            break;
    }
    if (has_more(tree, recording))
        return true;
    vec_free(&tree->cells.scratch);
    vec_free(&tree->thread_cells.scratch);
    vec_free(&tree->drawing.cells.scratch);
    bytes_free(&tree->scratch);
    return false;
}

const struct sum_node *sum_tree_find(const struct sum_tree *tree, size_t first, size_t end,
                                     size_t *count)
{
    INVARIANT(first <= end);
    const struct sum_node *found = NULL;
    size_t span = tree->stretch;
    for (size_t at = 0; at < LEVELS_MOST && span <= end - first; at++, span *= SUM_FAN) {
        const struct sum_level *level = &tree->levels[at];
        if (first % span || first / span >= level->nodes.count)
            break;
        const struct sum_node *node = &level->nodes.items[first / span];
        if (!node->is_there)
            break;
        found = node;
        INVARIANT(first + span <= end);
        *count = span;
    }
    return found;
}

const struct sum_node *sum_tree_stretch_at(const struct sum_tree *tree, size_t first, size_t end,
                                           size_t *count)
{
    const struct sum_drawing *drawing = &tree->drawing;
    size_t const stretch = drawing->stretch;
    INVARIANT(stretch > 0 && first <= end);
    if (first % stretch || first / stretch >= drawing->nodes.count || first + stretch > end ||
        !drawing->nodes.items[first / stretch].is_there)
        return NULL;
    *count = stretch;
    return &drawing->nodes.items[first / stretch];
}

bool sum_tree_can_draw(const struct sum_tree *tree, size_t from, size_t end)
{
    INVARIANT(from <= end);
    return (end - from) / tree->drawing.stretch >= DRAWN_LEAST;
}

bool sum_tree_totals(const struct sum_tree *tree, size_t bucket, struct cell_list *into)
{
    const struct sum_drawing *drawing = &tree->drawing;
    into->count = 0;
    return bucket < drawing->totals.count && drawing->totals.items[bucket].is_there &&
           packed_cells_decode(&drawing->totals.items[bucket].cells, NULL, into) == 0;
}

int sum_node_decode(const struct sum_node *node, const bool *wanted, struct bucket_cells *into)
{
    into->cells.count = into->thread_cells.count = 0;
    int const err = packed_cells_decode(&node->cells, wanted, &into->cells);
    return err ? err : packed_cells_decode(&node->thread_cells, wanted, &into->thread_cells);
}

bool sum_tree_is_large(const struct sum_tree *tree)
{
    return tree && tree->is_large;
}

size_t sum_tree_bytes(const struct sum_tree *tree)
{
    return tree->bytes + tree->drawing.bytes;
}

size_t sum_tree_stretch(const struct sum_tree *tree)
{
    return tree->stretch;
}
