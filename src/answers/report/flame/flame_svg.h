/* flame_svg.h - a flame graph as one SVG file that needs nothing else.
 *
 * Without script (a viewer, an <img>, the PNG converter) it shows the whole graph.  In a browser
 * the script inside draws the same from the data inside: zoom, search, keyboard, the reversed
 * graph, a link that keeps the state.  The same input gives the same bytes. */
#pragma once

#include "analyze/trees/call_tree.h"
#include "analyze/diff/diff_tree.h"
#include "report/flame/flame_palette.h"
#include "report/pictures/svg_out.h"

#define FLAME_LINES_MAX     3
#define FLAME_WIDTH_DEFAULT 1200
#define FLAME_WIDTH_MIN     300
#define FLAME_WIDTH_MAX     16000

struct flame_options {
    const char *title;                  /* NULL: made from the recording */
    const char *lines[FLAME_LINES_MAX]; /* further sentences above the graph; NULL: none */
    const char *choice; /* what narrowed the stacks ("only stacks matching …"), or NULL */
    unsigned width;     /* pixels; 0: the default; brought into the limits above */
    double threshold; /* frames below this share of the total are merged into "…"; 0: by width */
    /* of each graph, the smallest beyond that are merged too; 0: as many as a file of 1 MB has */
    uint32_t max_frames;
    bool reverse; /* begin with the bottom-up graph */
    bool one_way; /* only the graph that it begins with: the other one is empty */
    bool icicle;  /* the root on top */
    enum flame_colors colors;
    const char *file;              /* as the user called the recording, or NULL */
    const struct flame_heat *heat; /* a map above the graph, see flame_heat.h; NULL: none */
};

/* Trees of the same weights, both ways round. */
struct flame_trees {
    const struct call_tree *top_down, *bottom_up;
    /* of a differential graph, that these trees are of; or NULL */
    const struct diff_tree *changes[2];
};

/* Writes the whole file.  Returns 0, -ENOMEM, or another -errno with a sentence.  Rows below zero
 * (what shrank in an interval) have no width: they are left out and the subtitle says how much they
 * were. */
int flame_svg_render(struct recording *recording, const struct weights *weights,
                     const struct flame_options *options, struct svg_out *out, struct fault *fault);

/* Only the data of it, as flame_data.h has them, for a page that draws by itself. */
int flame_data_render(struct recording *recording, const struct weights *weights,
                      const struct flame_options *options, struct svg_out *out,
                      struct fault *fault);

/* A copy of the rows that have a width; the others are summed up.  Returns 0 or -ENOMEM; call
 * weights_fini on it in any case. */
int flame_keep_positive(const struct weights *weights, struct weights *kept, int64_t *shrunk);

/* Both from trees that are there already; `weights` only gives metric, total and interval.  Returns
 * 0 or -ENOMEM. */
int flame_data_draw(const struct recording *recording, const struct flame_trees *trees,
                    const struct weights *weights, const struct flame_options *options,
                    struct svg_out *out);
int flame_svg_draw(const struct recording *recording, const struct flame_trees *trees,
                   const struct weights *weights, const struct flame_options *options,
                   struct svg_out *out);

/* As flame_svg_draw, only the data of it. */
int flame_data_draw(const struct recording *recording, const struct flame_trees *trees,
                    const struct weights *weights, const struct flame_options *options,
                    struct svg_out *out);
