/* snapshot_tree.h - whose the bytes of a snapshot are, as massif shows it: the code that asked first, its callers under
 * it, what is small added up.
 *
 * A list of lines, each parent before its children and these by size, largest first.  The children of a line add up to
 * it exactly, unless it has none. */
#pragma once

#include "analyze/trees/snapshots.h"

#define SNAPSHOT_DEPTH_DEFAULT   30
#define SNAPSHOT_DEPTH_MAX       4096
#define SNAPSHOT_SHARE_THRESHOLD 0.01

enum tree_line_kind {
    TREE_LINE_ROOT,  /* all of it */
    TREE_LINE_PLACE, /* a function and where in it */
    TREE_LINE_SMALL, /* `places` that are each below the threshold */
    TREE_LINE_END,   /* of stacks that end here, where others go on */
};

struct tree_line {
    enum tree_line_kind kind;
    uint32_t depth; /* 0: the root */
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
    uint32_t depth; /* at most SNAPSHOT_DEPTH_MAX */
    int64_t least;  /* bytes; what has less is small */
};

/* 0 or -ENOMEM.  Call snapshot_tree_fini after success. */
int snapshot_tree_build(struct recording *recording, const struct weights *weights,
                        struct tree_limits limits, struct snapshot_tree *tree);
void snapshot_tree_fini(struct snapshot_tree *tree);
