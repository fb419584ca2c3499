/* snapshot_tree.h - the call sites of the bytes of a snapshot, as massif shows them: first the
 * code that allocated, its callers below it, small places added up.
 *
 * A list of lines: each parent comes before its children, and children are sorted by size,
 * largest first.  The children of a line add up to it exactly, unless the line has none. */
#pragma once

#include "analyze/trees/snapshots.h"

#define SNAPSHOT_DEPTH_DEFAULT   30
#define SNAPSHOT_DEPTH_MAX       4096
#define SNAPSHOT_SHARE_THRESHOLD 0.01

enum tree_line_kind {
    TREE_LINE_ROOT,  /* The whole snapshot. */
    TREE_LINE_PLACE, /* A function and the line in it. */
    TREE_LINE_SMALL, /* The sum of `places` places, each below the threshold. */
    TREE_LINE_END,   /* The stacks that end here, where others continue. */
};

struct tree_line {
    enum tree_line_kind kind;
    uint32_t depth; /* 0 for the root. */
    uint32_t children;
    int64_t bytes;
    uint32_t places;
    string_id function, module, file;
    uint32_t line;
};

struct snapshot_tree {
    VEC(struct tree_line) lines;
};

struct tree_limits {
    uint32_t depth; /* At most SNAPSHOT_DEPTH_MAX. */
    int64_t least;  /* In bytes; places with less are small. */
};

/* Returns 0 or -ENOMEM.  Call snapshot_tree_fini after success. */
int snapshot_tree_build(struct recording *recording, const struct weights *weights,
                        struct tree_limits limits, struct snapshot_tree *tree);
void snapshot_tree_fini(struct snapshot_tree *tree);
