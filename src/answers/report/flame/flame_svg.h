/* flame_svg.h - a flame graph as one SVG file that needs no other file.
 *
 * Without script (in a viewer, in an <img>, in the PNG converter) the file shows the whole graph.
 * In a browser, the script in the file draws the graph from the data in the file, with zoom,
 * search, keyboard, the reversed graph, and a link that keeps the state.  The same input gives the
 * same bytes. */
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
    const char *choice; /* what selected the stacks ("only stacks matching …"), or NULL */
    unsigned width;     /* pixels; 0: the default; limited to the range above */
    /* frames below this share of the total become part of "…"; 0: depends on the width */
    double threshold;
    /* maximum number of frames per graph, the smallest are merged; 0: as many as a file of 1 MB
     * has */
    uint32_t max_frames;
    bool reverse; /* show the bottom-up graph first */
    bool one_way; /* the file has only the graph that is shown first: the other one is empty */
    bool icicle;  /* the root on top */
    enum flame_colors colors;
    const char *file;              /* as the user called the recording, or NULL */
    const struct flame_heat *heat; /* a map above the graph, see flame_heat.h; NULL: none */
};

/* Trees of the same weights, in both directions. */
struct flame_trees {
    const struct call_tree *top_down, *bottom_up;
    /* for a differential graph: what these trees were made from; or NULL */
    const struct diff_tree *changes[2];
};

/* Writes the whole file.  Rows with a negative value, which are what shrank in a time range, have
 * no width: they are left out, and the subtitle has their sum.  Returns 0, -ENOMEM, or another
 * -errno with a sentence. */
int flame_svg_render(struct recording *recording, const struct weights *weights,
                     const struct flame_options *options, struct svg_out *out, struct fault *fault);

/* Writes only the data, as flame_data.h describes, for a page that draws the graph. */
int flame_data_render(struct recording *recording, const struct weights *weights,
                      const struct flame_options *options, struct svg_out *out,
                      struct fault *fault);

/* Copies the rows that have a width to *kept; *shrunk is the sum of the others.  Returns 0 or
 * -ENOMEM; call weights_fini on *kept in any case. */
int flame_keep_positive(const struct weights *weights, struct weights *kept, int64_t *shrunk);

/* Like the functions above, from trees that exist already.  `weights` only gives the metric, the
 * total and the time range.  Return 0 or -ENOMEM. */
int flame_data_draw(const struct recording *recording, const struct flame_trees *trees,
                    const struct weights *weights, const struct flame_options *options,
                    struct svg_out *out);
int flame_svg_draw(const struct recording *recording, const struct flame_trees *trees,
                   const struct weights *weights, const struct flame_options *options,
                   struct svg_out *out);
