/* plot_svg.h - memory over time as one SVG file that needs no other file.
 *
 * The picture shows the live heap with its minimum and maximum, RSS, the biggest call sites
 * stacked, the allocation rate below, marks for the peak and pins, and hatched time ranges with
 * lost events.  The file is complete without script; with script, it shows the values at the
 * pointer.  The same input gives the same bytes. */
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
    const char *title; /* NULL: made from the recording */
    unsigned top;      /* number of call sites with a colour of their own; at most PLOT_SITES_MAX */
    unsigned width, height; /* pixels; 0: the default; limited to the range above */
    const char *main_title; /* title of the stacked sites; NULL: the name of the metric */
    bool no_rate;           /* allocations are not known, only what is live */
};

/* Writes the whole file.  Returns 0 or -errno with a sentence. */
int plot_svg_render(struct recording *recording, const struct plot_options *options,
                    struct svg_out *out, struct fault *fault);
