/* call_tree.h - weights arranged as a tree of functions, outermost at the root (top-down) or
 * innermost at the root (bottom-up).  Inlined functions are nodes of their own. */
#pragma once

#include <stdbool.h>

#include "analyze/sums/weigh.h"

struct call_node {
    string_id function; /* Display name: function, or "module+0xoffset"; never empty. */
    string_id module;   /* Path; may be empty. */
    string_id file;
    uint32_t line; /* Line of the call; 0 when unknown or when several lines were merged. */
    bool inlined;
    /* Equal for all nodes of the same function, line (inlined or not) or module, depending on
     * how the tree merges. */
    uint32_t kind;
    int64_t value, count;           /* Of all stacks through the node (inclusive). */
    int64_t self_value, self_count; /* Of stacks that end here (exclusive). */
    /* Spread of value and self_value: see struct weight. */
    int64_t spread, self_spread;
    uint32_t parent, first_child, next_sibling; /* Indices; 0: none (and the root). */
    uint32_t left_out; /* Number of frames in the left-out subtrees below this node. */
};

/* Which frames become one node. */
enum tree_merge { MERGE_FUNCTION, MERGE_LINE, MERGE_MODULE };
#define TREE_MERGES 3u

struct module_rest {
    string_id module;
    int64_t self_value; /* Of stacks that end in the module. */
};

struct call_tree {
    /* nodes[0] is the root, "all"; children are sorted by |value|, descending. */
    VEC(struct call_node) nodes;
    VEC(uint32_t) leaves; /* For each row of the weights: the node where its stack ends. */
    VEC(struct module_rest) left_out; /* Stacks that end in frames that were not made nodes. */
    uint32_t kind_count;
};

/* Builds the tree of all stacks of `weights`.  Allocator functions and operator new at the inner
 * end are left out, so that the leaf is the code that called the allocator; but not for metrics
 * of time, because these functions use time themselves. May add strings to the recording.
 * Returns 0 or -ENOMEM. */
int call_tree_build(struct recording *recording, const struct weights *weights, bool bottom_up,
                    enum tree_merge merge, struct call_tree *tree);
/* Builds a tree with only about `most` of the largest nodes, for a picture.  No weight may be
 * negative.  Returns 0 or -ENOMEM. */
struct tree_cut {
    bool bottom_up;
    enum tree_merge merge;
    uint32_t most; /* Number of nodes. */
};
int call_tree_build_largest(struct recording *recording, const struct weights *weights,
                            struct tree_cut cut, struct call_tree *tree);
/* Builds a bottom-up tree with at most about `max_levels` levels: callers of different sites
 * share no nodes, so the whole tree of a large recording would be far too large.  Returns 0 or
 * -ENOMEM. */
int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree);
/* Like call_tree_build_callers, without what is beneath small nodes: only the first level, and the
 * children of nodes there are whose |value| is at least `least_share` of that of their node of the
 * first level. */
int call_tree_build_main_callers(struct recording *recording, const struct weights *weights,
                                 enum tree_merge merge, uint32_t max_levels, double least_share,
                                 struct call_tree *tree);
/* True when parents come before their children, and each value is the self value plus the
 * children's values. */
bool call_tree_is_valid(const struct call_tree *tree);
void call_tree_fini(struct call_tree *tree);

/* Sums nodes by key: keys[i] is the key of node i (below `key_count`), or TREE_NO_KEY to ignore
 * the node.  Self values come from nodes where stacks end.  Totals come from the outermost node
 * of each key on every path, so that a stack counts once even if the key occurs in it several
 * times.  Clears `sums` first.  Returns 0 or -ENOMEM. */
#define TREE_NO_KEY UINT32_MAX
struct tree_sum {
    int64_t self_value, self_count, total_value, total_count;
};
int call_tree_sum(const struct call_tree *tree, const uint32_t *keys, size_t key_count,
                  struct tree_sum *sums);

/* One step of a stack as it is displayed; an inlined function is a step of its own. */
struct shown_frame {
    string_id function, module, file;
    uint32_t line;
    bool inlined;
};
/* Writes the steps of a stack, innermost first, at most `max`.  Returns how many the stack has. */
size_t stack_show(struct recording *recording, stack_id stack, struct shown_frame *out, size_t max);
/* Like stack_show for a stack of this metric: for metrics of time, the allocator's own frames at
 * the inner end are included. */
size_t stack_show_of(struct recording *recording, const struct metric *metric, stack_id stack,
                     struct shown_frame *out, size_t max);
