/* flame_data.h - the graph as compact JSON for the script inside the picture.
 *
 * {"unit","noun","total","icicle","reverse",
 * "strings": [text…],                                            names, modules, files, each
 * once "frames": [name,module,file,line,inlined,colour class, …],     six numbers a frame, each
 * once "trees": [{"nodes": [frame,depth,value,count, …]}, …]}             top-down, bottom-up
 *
 * In a differential graph each tree has besides, for each of its nodes, "changes":
 * [before,after,count before,count after,error,colour class, …]    before: as compared, see
 * diff_scale.h
 *
 * Nodes are in pre-order; a negative frame is a remainder that stands for so many frames. */
#pragma once

#include "report/flame/flame_layout.h"
#include "report/flame/flame_palette.h"
#include "report/flame/flame_svg.h"

struct flame_view {
    const struct call_tree *tree;
    const struct diff_tree *diff; /* NULL: not of two recordings */
    struct flame_layout layout;
    uint64_t merged;  /* frames the static picture shows only as "…" */
    uint32_t deepest; /* row of the static picture that has a frame */
};

struct flame_scene {
    const struct recording *recording;
    const struct weights *weights;
    const struct flame_options *options;
    unsigned width;
    struct flame_view views[2]; /* top-down, bottom-up */
    struct palette palette;
};

/* Returns the colour class of a node by its names, and of a frame as it is drawn. */
unsigned flame_class(const struct flame_scene *scene, const struct call_node *node);
unsigned flame_frame_class(const struct flame_scene *scene, const struct flame_view *view,
                           const struct flame_frame *frame);

/* Returns what the metric counts beside its value: "sample", "wait", "block"; NULL when it is
 * counted itself. */
const char *flame_noun(const struct metric *metric);

/* The sentence about what "…" hides, empty when nothing is hidden. */
void flame_note(const struct flame_view *view, char *text, size_t size);

/* Returns 0 or -ENOMEM. */
int flame_data_write(const struct flame_scene *scene, struct svg_out *out);
