/* graph_layout.h - the positions of the boxes and lines of a graph, found by graphviz.
 *
 * Graphviz gets sizes and numbers and no names, so nothing from a recording reaches its parsers.
 * Lengths are in pixels, and y grows downward.  This is a library of its own (graph_layout_dep),
 * because graphviz is large. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/vec.h"

struct graph_point {
    double x, y;
};

struct graph_box {
    double width, height; /* given */
    double x, y;          /* found: the middle of the box */
};

struct graph_line_path {
    uint32_t from, to;                /* given: indices of boxes, */
    double label_width, label_height; /* the size of its label, */
    double arrow;                     /* the size of its arrow (1 is the default), */
    double share;                   /* and how important it is that the line is straight, 0 to 1 */
    VEC(struct graph_point) points; /* found: a Bézier curve, 1 + 3 k points */
    struct graph_point tip;         /* found: the tip of the arrow */
    struct graph_point label;       /* found: the middle of the label */
};

struct graph_layout {
    VEC(struct graph_box) boxes;
    VEC(struct graph_line_path) lines;
    double width, height; /* found */
};

/* Finds all positions.  Returns 0 or -errno with a sentence. */
int graph_layout_run(struct graph_layout *layout, struct fault *fault);

static inline void graph_layout_fini(struct graph_layout *layout)
{
    vec_each (line, &layout->lines)
        vec_free(&line->points);
    vec_free(&layout->lines);
    vec_free(&layout->boxes);
}
