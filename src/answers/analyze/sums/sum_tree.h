/* sum_tree.h - sums over stretches of a large recording, kept so that a question about a range of time need not read all of it.
 *
 * A leaf is the sum of so many consecutive buckets, a node above it that of SUM_FAN of those below; bucket_walk hands them to
 * those who only add up, instead of the buckets.  Cells are summed by stack and by thread; moments and gauges are not.
 * Besides, for whoever draws all of the time: some hundred stretches of one length, without classes of sizes and lifetimes, which
 * are most of the cells; and of each bucket what its columns come to.
 * The tree belongs to its recording (recording->sums) and grows behind it.  One thread at a time. */
#pragma once

#include "model/cells.h"
#include "model/recording.h"

#define SUM_FAN 4

struct sum_limits {
    size_t bytes_most;    /* that the sums may take; when it is too little, leaves become longer */
    uint64_t cells_least; /* that a recording must have, as far as some of its buckets tell */
    size_t buckets;       /* of a leaf, to begin with */
};

/* Goes on making sums for about `budget_ns`, and makes the tree if there is none.  Whether there is more to do: not when all
 * whole stretches are summed, when the recording is small, nor when memory has run out.  A bucket that cannot be read leaves its
 * stretch without a sum. */
bool sum_tree_advance(struct recording *recording, const struct sum_limits *limits,
                      uint64_t budget_ns);

/* The longest sum of buckets from `first` on, none of them at `end` or behind, and of how many it is; NULL: there is none. */
const struct sum_node *sum_tree_find(const struct sum_tree *tree, size_t first, size_t end,
                                     size_t *count);

/* The sum of the stretch that begins with bucket `first`, of how many buckets it is, and whether there are enough of them to draw
 * buckets `from` to `end`. */
const struct sum_node *sum_tree_stretch_at(const struct sum_tree *tree, size_t first, size_t end,
                                           size_t *count);
bool sum_tree_can_draw(const struct sum_tree *tree, size_t from, size_t end);
/* What the columns of a bucket come to over all stacks, as cells of the empty stack; false when that is not known, or memory has run out. */
bool sum_tree_totals(const struct sum_tree *tree, size_t bucket, struct cell_list *into);

struct summed_cells {
    struct cell_list cells, thread_cells; /* by column and key */
};
/* Its cells of the columns that are wanted, by column; the lists are cleared first.  0 or -ENOMEM. */
int sum_node_take(const struct sum_node *node, const bool *wanted, struct summed_cells *into);
void summed_cells_fini(struct summed_cells *cells);

/* Whether the recording was found large enough; false for NULL. */
bool sum_tree_is_large(const struct sum_tree *tree);
/* What the sums take, and how many buckets a leaf has by now. */
size_t sum_tree_bytes(const struct sum_tree *tree);
size_t sum_tree_stretch(const struct sum_tree *tree);
