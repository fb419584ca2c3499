/* flame_layout.h - the position of each frame of a flame graph, in units of the metric.
 *
 * Positions are exact integers, so children always lie inside their parent.  Frames that are too
 * small are not dropped: the small children of one parent become one remainder beside the bigger
 * children, and the remainder has their number. */
#pragma once

#include "analyze/trees/call_tree.h"

struct flame_frame {
    uint32_t node;   /* of the call tree; for a remainder, the parent of its frames */
    uint32_t depth;  /* 0: the root */
    uint32_t hidden; /* for a remainder, how many frames it stands for; else 0 */
    int64_t start, value, count;
};

struct flame_layout {
    VEC(struct flame_frame) frames; /* pre-order; frames[0] is the root */
    int64_t total;                  /* the root's value, at least 0 */
    uint64_t hidden;                /* number of frames in all remainders */
};

struct flame_limits {
    int64_t min_value;  /* smaller frames become part of a remainder; at least 1 */
    uint32_t max_depth; /* frames that are further from the root become part of a remainder, too */
    /* min_value is raised until at most this many frames are left, not counting remainders */
    uint32_t max_frames;
};

/* Builds the layout.  Frames without a positive value have no width, and count as hidden.  Returns
 * 0 or -ENOMEM. */
int flame_layout_build(const struct call_tree *tree, const struct flame_limits *limits,
                       struct flame_layout *layout);
void flame_layout_fini(struct flame_layout *layout);

/* Returns the index of the first frame after `at` that is not a descendant of `at`. */
size_t flame_layout_skip(const struct flame_layout *layout, size_t at);

/* Calls `draw` for each frame that is at least `min_value` wide, and once for each run of narrower
 * neighbours, as a remainder with `hidden` set; frames above the neighbours are skipped.  That is
 * what a picture of limited resolution can show.  Returns how many frames were not drawn by
 * themselves. */
typedef void flame_draw(void *context, const struct flame_frame *frame);
uint64_t flame_layout_visit(const struct flame_layout *layout, double min_value, flame_draw *draw,
                            void *context);
