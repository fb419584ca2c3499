/* page_tree.h - which code has how much physical memory, as a call tree: innermost at the root, or
 * outermost.
 *
 * A node has the sums of all stacks through it; those of stacks that end in it are its own.  For
 * every sum total = own + children + what was left out beneath it, exactly.  Only nodes of at
 * least the threshold are made, so the memory it takes is that of the answer: callers of
 * different functions share nothing, and a whole tree of a million stacks would be far larger
 * than anybody looks at.  No recursion: a stack may have any depth. */
#pragma once

#include "analyze/memory/page_frames.h"
#include "analyze/memory/page_weight.h"

struct page_node {
    uint32_t frame; /* index into frames.items; of no meaning in the root */
    uint32_t parent;
    /* side by side; largest value first, then by page_frame_compare */
    uint32_t first_child, child_count;
};

struct page_tree_options {
    bool outermost_first; /* going down means callees; else callers */
    unsigned width;       /* sums per node: PAGE_SUMS_COMMON or PAGE_SUMS */
    uint64_t unit_bytes;
    uint64_t threshold; /* nodes of a smaller value are left out; in units */
    size_t nodes_most;
};

struct page_tree {
    unsigned width;
    VEC(struct page_node) nodes; /* nodes[0] is the root; parents come before their children */
    VEC(uint64_t) totals;        /* `width` per node */
    VEC(uint64_t) own;           /* `width` per node */
    struct page_frames frames;
};

/* 0; -ENOMEM, -EFBIG when there are more than nodes_most nodes, -ERANGE when the recording is
 * damaged; with nothing to free in these cases.  `running` has the sums of `recording`, whose
 * names the tree refers to. */
int page_tree_build(const struct recording *recording, const struct running *running,
                    const struct page_tree_options *options, struct page_tree *tree);
void page_tree_fini(struct page_tree *tree);

static inline const uint64_t *page_tree_totals(const struct page_tree *tree, size_t node)
{
    return tree->totals.items + node * tree->width;
}
static inline const uint64_t *page_tree_own(const struct page_tree *tree, size_t node)
{
    return tree->own.items + node * tree->width;
}
/* What stands under the node and was left out: `width` sums. */
void page_tree_left_out(const struct page_tree *tree, size_t node, uint64_t *sums);
