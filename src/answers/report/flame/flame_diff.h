/* flame_diff.h - a differential flame graph: what two recordings spent where, in one picture.
 *
 * A frame is as wide as both have there together, so that what is gone has the width it had; its
 * colour is the change of it with all it calls.  Grey is what may be the chance of sampling. */
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

/* As flame_svg_render; `options->lines` are its own. */
int flame_diff_render(const struct flame_diff *diff, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault);

/* Only the data of it, for a page that draws by itself:
 *
 * {"metric","unit","scale",                                   what `before` is multiplied by
 * "before": {"value","count","from_ns","to_ns"}, "after": the same,       of all stacks;
 * `before` as compared "grown","shrunk",                                          what nodes
 * gained and lost by themselves "noise": "none"|"samples"|"blocks"|"unknown",              what
 * may be chance, see diff_noise.h "kinds": ["same","chance",…], "kinds_from": N,
 * colour class N in "changes" is the first of them "flame": {…}}
 * as flame_data.h has it */
int flame_diff_data_render(const struct flame_diff *diff, const struct flame_options *options,
                           struct svg_out *out, struct fault *fault);

/* "+12.3 MiB", "-1.20 s", "0": the change of a node, for its label. */
void flame_change_text(const struct diff_tree *tree, uint32_t node, char text[HUMAN_MAX]);

/* flame_changes.c: ,"changes":[…] of flame_data.h.  Returns 0 or -ENOMEM. */
int flame_changes_write(const struct flame_view *view, struct svg_out *out);

/* The pattern of what is gone, and the rules that use it. */
#define FLAME_HATCH                                                                                \
    "<defs><pattern id=\"gone\" width=\"7\" height=\"7\" patternUnits=\"userSpaceOnUse\" "         \
    "patternTransform=\"rotate(45)\"><rect class=\"hatch0\" width=\"7\" height=\"7\"/>"            \
    "<rect class=\"hatch1\" width=\"2.5\" height=\"7\"/></pattern></defs>\n"
void flame_hatch_write(struct svg_out *out);
