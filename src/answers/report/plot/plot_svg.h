/* plot_svg.h - memory over time as one SVG file that needs nothing else: live heap with the span it
 * moved in, RSS, the biggest call sites stacked, the allocation rate below, peak and pins marked,
 * stretches with lost events hatched.  Complete without script; with it, a readout under the
 * pointer. The same input gives the same bytes. */
#pragma once

#include "report/plot/plot_data.h"
#include "report/pictures/svg_out.h"

#define PLOT_WIDTH_DEFAULT  1200
#define PLOT_HEIGHT_DEFAULT 640
#define PLOT_SIZE_MIN       320
#define PLOT_SIZE_MAX       16000
#define PLOT_TOP_DEFAULT    8

struct plot_options {
    const struct metric *metric; /* NULL: heap.live */
    struct time_range range;
    const char *title;      /* NULL: made from the recording */
    unsigned top;           /* call sites with a colour of their own; at most PLOT_SITES_MAX */
    unsigned width, height; /* pixels; 0: the default; brought into the limits above */
    const char *main_title; /* of what is stacked; NULL: the metric's name */
    bool no_rate;           /* what was allocated is not known, only what is live */
};

/* Writes the whole file.  Returns 0 or -errno with a sentence. */
int plot_svg_render(struct recording *recording, const struct plot_options *options,
                    struct svg_out *out, struct fault *fault);
