/* sum_tree.h - sums over stretches of a large recording, so that a question about a range of time
 * does not need to read all buckets of that range.
 *
 * A leaf is the sum of so many consecutive buckets, a node above it that of SUM_FAN of those
 * below; bucket_walk gives them, not buckets, to callers that only add up.  Cells are
 * summed by stack and by thread; moments and gauges are not. In addition, for pictures of all
 * of the time: some hundred stretches of one length, without classes of sizes and lifetimes, which
 * are most of the cells; and of each bucket what its columns come to. The tree belongs to its
 * recording (recording->caches) and grows behind it.  One thread at a time. */
#pragma once

#include "analyze/sums/recording_caches.h"
#include "model/cells.h"
#include "model/recording.h"

#define SUM_FAN 4

struct sum_tree;

/* Returns the tree of a recording, or NULL. */
static inline struct sum_tree *sum_tree_of(const struct recording *recording)
{
    return recording->caches[CACHE_SUM_TREE].data;
}

struct sum_limits {
    size_t bytes_most; /* Memory limit of the sums; leaves become longer to stay within it. */
    /* Sums are made only for recordings with at least this many cells, estimated from some of the
     * buckets. */
    uint64_t cells_least;
    size_t buckets; /* Buckets per leaf at the beginning. */
};

/* Continues summing for about `budget_ns`; creates the tree if there is none.  Returns true when
 * there is more to do; false when all buckets were added, when the recording is small, or when
 * memory ran out.  A bucket that cannot be read leaves its stretch without a sum. */
bool sum_tree_advance(struct recording *recording, const struct sum_limits *limits,
                      uint64_t budget_ns);

/* The longest sum that begins with bucket `first` and ends before bucket `end`; *count is set to
 * the number of its buckets.  NULL if there is none. */
const struct sum_node *sum_tree_find(const struct sum_tree *tree, size_t first, size_t end,
                                     size_t *count);

/* The sum of the stretch for pictures that begins with bucket `first` and ends before bucket `end`;
 * *count is set to the number of its buckets.  NULL if there is none. */
const struct sum_node *sum_tree_stretch_at(const struct sum_tree *tree, size_t first, size_t end,
                                           size_t *count);
/* True when there are enough such stretches to draw buckets `from` to `end`. */
bool sum_tree_can_draw(const struct sum_tree *tree, size_t from, size_t end);
/* Fills `into` with the total of each column of a bucket, as cells of the empty stack.  False when
 * the totals are not known or memory ran out. */
bool sum_tree_totals(const struct sum_tree *tree, size_t bucket, struct cell_list *into);

/* Replaces the contents of `into` by the cells of the node, of the columns whose flag in
 * `wanted` is true (NULL: all).  Returns 0 or -ENOMEM. */
int sum_node_decode(const struct sum_node *node, const bool *wanted, struct bucket_cells *into);

/* True when the recording was found large enough for sums; false for NULL. */
bool sum_tree_is_large(const struct sum_tree *tree);
/* Memory that the sums take. */
size_t sum_tree_bytes(const struct sum_tree *tree);
/* Number of buckets of a leaf now. */
size_t sum_tree_stretch(const struct sum_tree *tree);
