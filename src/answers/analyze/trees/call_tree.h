/* call_tree.h - weights arranged as a tree of functions, outermost at the root (top-down) or
 * innermost at the root (bottom-up).  Inlined functions are nodes of their own. */
#pragma once

#include <stdbool.h>

#include "analyze/sums/weigh.h"

struct call_node {
    string_id function; /* display name: function, or "module+0xoffset", never empty */
    string_id module;   /* path; may be empty */
    string_id file;
    uint32_t line; /* of the call; 0 when unknown or when several lines were merged */
    bool inlined;
    uint32_t
        kind; /* the same for all nodes that are of one function, line (inlined or not) or module, as they are merged */
    int64_t value, count;                       /* inclusive */
    int64_t self_value, self_count;             /* of stacks that end here */
    int64_t spread, self_spread;                /* of those values: see struct weight */
    uint32_t parent, first_child, next_sibling; /* indices; 0 is "none" (and the root itself) */
    uint32_t left_out; /* frames beneath it that are no nodes, nor beneath one */
};

enum tree_merge { MERGE_FUNCTION, MERGE_LINE, MERGE_MODULE }; /* what makes two frames one node */
#define TREE_MERGES 3u

struct module_rest {
    string_id module;
    int64_t self_value; /* of stacks that end in it */
};

struct call_tree {
    VEC(struct call_node)
    nodes;                /* nodes[0] is the root, "all"; children sorted by |value|, falling */
    VEC(uint32_t) leaves; /* where the stack of each row of the weights ended, in their order */
    VEC(struct module_rest) left_out; /* stacks that end in what is no node */
    uint32_t kind_count;
};

/* Hidden frames: the allocator entry points and operator new at the inner end are left out, so the
 * leaf is the code that asked; but not of time, which they take themselves.  `names` may grow. */
int call_tree_build(struct recording *recording, const struct weights *weights, bool bottom_up,
                    enum tree_merge merge, struct call_tree *tree);
/* Only about so many of its largest nodes, for a picture; no weight is below zero. */
struct tree_cut {
    bool bottom_up;
    enum tree_merge merge;
    uint32_t most; /* nodes */
};
int call_tree_build_largest(struct recording *recording, const struct weights *weights,
                            struct tree_cut cut, struct call_tree *tree);
/* Bottom-up with at most about `max_levels` levels: callers of different sites share nothing, so a
 * whole tree of a large recording is far larger than anyone looks at. */
int call_tree_build_callers(struct recording *recording, const struct weights *weights,
                            enum tree_merge merge, uint32_t max_levels, struct call_tree *tree);
/* Whether parents come before their children, and have what these have and what is their own. */
bool call_tree_is_valid(const struct call_tree *tree);
void call_tree_fini(struct call_tree *tree);

/* Sums by what nodes belong to: keys[i] is that of node i (below `key_count`), TREE_NO_KEY: it counts for nothing.  Self from where stacks end; total from the
 * outermost node of each key on every path, so a stack counts once however often the key is in it.  `sums` are zeroed
 * before.  0 or -ENOMEM. */
#define TREE_NO_KEY UINT32_MAX
struct tree_sum {
    int64_t self_value, self_count, total_value, total_count;
};
int call_tree_sum(const struct call_tree *tree, const uint32_t *keys, size_t key_count,
                  struct tree_sum *sums);

/* One step of a stack as people read it, innermost first.  Fills at most `max`, returns how many
 * there are.  This is the only place that expands inlining and makes up names for unknown
 * addresses. */
struct shown_frame {
    string_id function, module, file;
    uint32_t line;
    bool inlined;
};
size_t stack_show(struct recording *recording, stack_id stack, struct shown_frame *out, size_t max);
/* The same for a stack of this metric: of time, the allocator's own frames at the inner end are there too. */
size_t stack_show_of(struct recording *recording, const struct metric *metric, stack_id stack,
                     struct shown_frame *out, size_t max);
