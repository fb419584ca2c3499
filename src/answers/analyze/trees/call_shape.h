/* call_shape.h - inside `analyze`: call stacks of a recording as a tree of lines without any numbers.
 *
 * Who asks about a recording again and again, as the page does with every brush, would wait for the same tree being made each time.  It
 * is made once, of the stacks that questions have had so far, and kept with the recording; a question then only adds up. */
#pragma once

#include "analyze/trees/frame_kinds.h"

/* Nodes that are one when lines are merged.  Of MERGE_MODULE, a module that calls itself is one step. */
struct shape_groups {
    struct pair_index groups; /* of the group of the parent and the kind (or line); 0 is the root */
    VEC(uint32_t) of_node;    /* the group of each node */
    VEC(bool) is_again;       /* its kind is further out as well */
};

/* The kind of what is in a group, but for the root. */
static inline uint32_t shape_kind(const struct shape_groups *groups,
                                  const struct frame_kinds *kinds, enum tree_merge merge,
                                  uint32_t group)
{
    uint32_t const what = pair_second(groups->groups.pairs.items[group]);
    return merge == MERGE_LINE ? kinds->lines.items[what].kinds[MERGE_LINE] : what;
}

struct call_shape {
    bool bottom_up;
    bool hides_allocator;    /* bottom-up: stacks begin with who asked */
    uint32_t max_levels;     /* bottom-up: callers further out are left out */
    struct pair_index nodes; /* of the parent's number and the line's; 0 is the root */
    uint32_t *node_of_stack; /* where each ends, 0: not known yet */
    size_t stack_room;
    size_t known; /* nodes there were after the question before */
    struct shape_groups groups[TREE_MERGES];
};

struct call_shapes; /* those of a recording that are kept */

struct shape_question {
    bool bottom_up, shows_allocator;
    uint32_t max_levels;
    enum tree_merge merge;
};

/* The lines of the recording as of now, which stay where they are for as long as it does.  0 or -ENOMEM. */
int call_shape_kinds(struct recording *recording, struct frame_kinds **kinds);

/* The shape that has all stacks of `weights`, and `kinds`; until the next call.  0 or -ENOMEM. */
int call_shape_get(struct recording *recording, const struct weights *weights,
                   const struct shape_question *question, struct call_shape **shape,
                   struct frame_kinds **kinds);
/* After use: one that is too large to be kept is let go. */
void call_shape_put(struct recording *recording);

/* Where a stack of the shape ends, without the allocator's own lines at its inner end. */
uint32_t call_shape_leaf(const struct call_shape *shape, struct frame_kinds *kinds,
                         const struct recording *recording, stack_id stack, bool shows_allocator);
