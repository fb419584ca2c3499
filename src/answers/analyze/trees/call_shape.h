/* call_shape.h - inside `analyze`: call stacks of a recording as a tree of lines, without
 * numbers.
 *
 * The web page asks about the same recording again and again.  To avoid building the same tree
 * each time, the tree is built once, from the stacks of all questions so far, and kept with the
 * recording.  A question then only adds up numbers. */
#pragma once

#include "analyze/trees/frame_kinds.h"

/* Nodes that become one when lines are merged.  With MERGE_MODULE, consecutive frames of one
 * module are one step. */
struct shape_groups {
    struct pair_index groups; /* (group of the parent, kind or line) to group; 0 is the root. */
    VEC(uint32_t) of_node;    /* Group of each node. */
    VEC(bool) is_again;       /* That kind also occurs further out. */
};

/* The kind of the nodes of a group.  Not for the root. */
static inline uint32_t shape_kind(const struct shape_groups *groups,
                                  const struct frame_kinds *kinds, enum tree_merge merge,
                                  uint32_t group)
{
    uint32_t const what = pair_second(groups->groups.pairs.items[group]);
    return merge == MERGE_LINE ? kinds->lines.items[what].kinds[MERGE_LINE] : what;
}

struct call_shape {
    bool bottom_up;
    bool hides_allocator;    /* Bottom-up: stacks begin with the code that called the allocator. */
    uint32_t max_levels;     /* Bottom-up: callers further out are left out. */
    struct pair_index nodes; /* (parent, line) to node; 0 is the root. */
    uint32_t *node_of_stack; /* Node where each stack ends; 0: not known yet. */
    size_t stack_room;
    size_t known; /* Number of nodes after the previous question. */
    struct shape_groups groups[TREE_MERGES];
};

struct call_shapes; /* The shapes that are kept with a recording. */

struct shape_question {
    bool bottom_up, shows_allocator;
    uint32_t max_levels;
    enum tree_merge merge;
};

/* Sets *kinds to the lines of all frames that the recording has now.  The object belongs to the
 * recording and stays valid as long as the recording.  Returns 0 or -ENOMEM. */
int call_shape_kinds(struct recording *recording, struct frame_kinds **kinds);

/* Sets *shape to a shape that contains all stacks of `weights`, and *kinds to its lines.  Both
 * are valid until the next call.  Returns 0 or -ENOMEM. */
int call_shape_get(struct recording *recording, const struct weights *weights,
                   const struct shape_question *question, struct call_shape **shape,
                   struct frame_kinds **kinds);
/* Call after use: frees a shape that is too large to be kept. */
void call_shape_put(struct recording *recording);

/* The node where a stack of the shape ends, unless `shows_allocator` without the allocator's own
 * lines at the inner end. */
uint32_t call_shape_leaf(const struct call_shape *shape, struct frame_kinds *kinds,
                         const struct recording *recording, stack_id stack, bool shows_allocator);
