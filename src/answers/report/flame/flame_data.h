/* flame_data.h - a flame graph as compact JSON, for the script in the picture.
 *
 * {"unit","noun","total","icicle","reverse",
 *  "strings": [text, …],              names, modules, files; each once
 *  "frames": [name,module,file,line,inlined,colour class, …],
 *                                     six numbers per frame; each frame once
 *  "trees": [{"nodes": [frame,depth,value,count, …]}, …]}
 *                                     top-down, bottom-up
 *
 * In a differential graph each tree also has, for each of its nodes:
 *  "changes": [before,after,count before,count after,error,colour class, …]
 * `before` is the value that is compared, see diff_scale.h.
 *
 * Nodes are in pre-order.  A frame -N is a remainder, which stands for N frames. */
#pragma once

#include "report/flame/flame_layout.h"
#include "report/flame/flame_palette.h"
#include "report/flame/flame_svg.h"

struct flame_view {
    const struct call_tree *tree;
    const struct diff_tree *diff; /* NULL: the graph is of one recording */
    struct flame_layout layout;
    uint64_t merged;  /* number of frames that the static picture shows only as "…" */
    uint32_t deepest; /* deepest row of the static picture that has a frame */
};

struct flame_scene {
    const struct recording *recording;
    const struct weights *weights;
    const struct flame_options *options;
    unsigned width;
    struct flame_view views[2]; /* top-down, bottom-up */
    struct palette palette;
};

/* Return the colour class of a node, which depends on its names; and of a drawn frame. */
unsigned flame_class(const struct flame_scene *scene, const struct call_node *node);
unsigned flame_frame_class(const struct flame_scene *scene, const struct flame_view *view,
                           const struct flame_frame *frame);

/* Returns what the metric counts besides its value: "sample", "wait", "block"; NULL if the value
 * itself is the count. */
const char *flame_noun(const struct metric *metric);

/* Writes the sentence about the frames that "…" hides; an empty text if none are hidden. */
void flame_note(const struct flame_view *view, char *text, size_t size);

/* Writes the JSON.  Returns 0 or -ENOMEM. */
int flame_data_write(const struct flame_scene *scene, struct svg_out *out);
