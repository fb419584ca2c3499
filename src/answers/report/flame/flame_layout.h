/* flame_layout.h - where each frame of a flame graph lies, in units of the metric.
 *
 * Exact integers, so that children always lie inside their parent and nothing drifts.  Frames that
 * are too small are not dropped: those of one parent become one remainder beside their bigger
 * siblings, which knows how many it stands for. */
#pragma once

#include "analyze/trees/call_tree.h"

struct flame_frame {
    uint32_t node;   /* in the call tree; of a remainder: the parent it belongs to */
    uint32_t depth;  /* 0: the root */
    uint32_t hidden; /* 0, or how many frames this remainder stands for */
    int64_t start, value, count;
};

struct flame_layout {
    VEC(struct flame_frame) frames; /* pre-order; frames[0] is the root */
    int64_t total;                  /* the root's value, at least 0 */
    uint64_t hidden;                /* frames that are in remainders, all together */
};

struct flame_limits {
    int64_t min_value;  /* smaller frames go into a remainder; at least 1 */
    uint32_t max_depth; /* frames further from the root than this too */
    /* raises min_value until at most so many are left (remainders not counted) */
    uint32_t max_frames;
};

/* Returns 0 or -ENOMEM.  Frames without a positive value have no width; they count as hidden. */
int flame_layout_build(const struct call_tree *tree, const struct flame_limits *limits,
                       struct flame_layout *layout);
void flame_layout_fini(struct flame_layout *layout);

/* Returns the frame after `at` and everything above it. */
size_t flame_layout_skip(const struct flame_layout *layout, size_t at);

/* Calls `draw` for each frame at least `min_value` wide and once for each run of narrower
 * neighbours (a remainder with `hidden` set), without what lies above the latter: what a
 * picture of finite resolution shows.  Returns how many frames it did not draw by themselves. */
typedef void flame_draw(void *context, const struct flame_frame *frame);
uint64_t flame_layout_visit(const struct flame_layout *layout, double min_value, flame_draw *draw,
                            void *context);
