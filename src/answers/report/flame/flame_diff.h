/* flame_diff.h - a differential flame graph: the costs of two recordings in one picture.
 *
 * The width of a frame is the sum of its cost in both recordings, so a frame that is gone has the
 * width that it had.  Its colour shows the change of its cost including everything it calls.  Grey:
 * the change may be an effect of sampling. */
#pragma once

#include "analyze/diff/diff_scale.h"
#include "analyze/diff/diff_tree.h"
#include "base/human.h"
#include "report/flame/flame_data.h"

struct flame_diff {
    struct diff_side before, after;
    const char *before_name; /* as the user called it */
    enum diff_scale scale;
};

/* Like flame_svg_render; writes options->lines itself. */
int flame_diff_render(const struct flame_diff *diff, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault);

/* Writes only the data of the graph, for a page that draws it:
 *
 * {"metric","unit","scale",          scale: what `before` is multiplied by
 *  "before": {"value","count","from_ns","to_ns"}, "after": {…},
 *                                    of all stacks; `before` is the value that is compared
 *  "grown","shrunk",                 sums of what nodes gained and lost by themselves
 *  "noise": "none"|"samples"|"blocks"|"unknown",
 *                                    what may be an effect of sampling, see diff_noise.h
 *  "kinds": ["same","chance",…], "kinds_from": N,
 *                                    colour class N in "changes" is the first of the kinds
 *  "flame": {…}}                     see flame_data.h */
int flame_diff_data_render(const struct flame_diff *diff, const struct flame_options *options,
                           struct svg_out *out, struct fault *fault);

/* Renders the change of a node for its label: "+12.3 MiB", "-1.20 s", "0". */
void flame_change_text(const struct diff_tree *tree, uint32_t node, char text[HUMAN_MAX]);

/* In flame_changes.c: writes ,"changes":[…] of flame_data.h.  Returns 0 or -ENOMEM. */
int flame_changes_write(const struct flame_view *view, struct svg_out *out);

/* The hatch pattern of frames that are gone, and the style rules that use it. */
#define FLAME_HATCH                                                                                \
    "<defs><pattern id=\"gone\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "         \
    "patternTransform=\"rotate(45)\"><rect class=\"hatch0\" width=\"7\" height=\"7\"/>"            \
    "<rect class=\"hatch1\" width=\"2.5\" height=\"7\"/></pattern></defs>\n"
void flame_hatch_write(struct svg_out *out);
