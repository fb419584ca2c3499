/* graph_layout.h - where the boxes and lines of a graph go, found by graphviz.
 *
 * Graphviz gets sizes and numbers, no names: nothing of a recording reaches its parsers.
 * Lengths are pixels, y grows downward.  Its own library (graph_layout_dep), because graphviz is
 * large. */
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
    double x, y;          /* found: its middle */
};

struct graph_line_path {
    uint32_t from, to;                /* given: indices of boxes ... */
    double label_width, label_height; /* ... the room its label needs ... */
    double arrow;                     /* ... the size of its arrow, 1 being usual ... */
    double share;                     /* ... and how much it matters that it is straight, 0 to 1 */
    VEC(struct graph_point) points;   /* found: a Bézier curve, 1 + 3 k points */
    struct graph_point tip;           /* of its arrow */
    struct graph_point label;         /* the middle of it */
};

struct graph_layout {
    VEC(struct graph_box) boxes;
    VEC(struct graph_line_path) lines;
    double width, height; /* found */
};

/* Finds all places.  Returns 0 or -errno with a sentence. */
int graph_layout_run(struct graph_layout *layout, struct fault *fault);

static inline void graph_layout_fini(struct graph_layout *layout)
{
    vec_each (line, &layout->lines)
        vec_free(&line->points);
    vec_free(&layout->lines);
    vec_free(&layout->boxes);
}
