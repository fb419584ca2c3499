/* plot_page.h - inside the plot: where things are on the paper, and the pieces it is drawn from. */
#pragma once

#include "report/plot/plot_data.h"
#include "report/pictures/svg_out.h"

#define PLOT_CHAR 6.7 /* average width of a 12 px letter, on the safe side */

/* One strip of paper with its own scale. */
struct lane {
    const char *title;
    const char *unit;   /* of its axis, for axis_label */
    const char *suffix; /* "/s" or "" */
    double top, bottom;
    uint64_t step, end; /* the axis runs from 0 to `end` */
};

struct plot_page {
    const struct recording *recording;
    const struct plot_data *data;
    struct svg_out *out;
    double width, height;
    double left, right; /* of the lanes */
    bool has_heap;      /* the metric is the live heap: gauges and peak belong to it */
    bool has_rss, has_losses;
    bool no_rate;
    const char *main_title;      /* NULL: the metric's name */
    struct lane main, rss, rate; /* a lane that is not there has end 0 */
};

double plot_x(const struct plot_page *page, uint64_t time_ns);
double plot_y(const struct lane *lane, int64_t value); /* below zero is drawn at zero */

/* Decides which lanes there are and where.  `top` is where the header and the marks end. */
void plot_page_arrange(struct plot_page *page, double top);

/* plot_lanes.c */
void plot_draw_grid(const struct plot_page *page, const struct lane *lane);
void plot_draw_time_axis(const struct plot_page *page);
void plot_draw_sites(const struct plot_page *page);
void plot_draw_gauges(const struct plot_page *page);
void plot_draw_rate(const struct plot_page *page);
void plot_draw_losses(const struct plot_page *page);

/* plot_marks.c: the height its labels need above the lanes, then the marks themselves. */
double plot_marks_height(const struct plot_page *page);
void plot_draw_marks(const struct plot_page *page, double top);

/* plot_legend.c */
void plot_draw_legend(const struct plot_page *page);
void plot_write_data(const struct plot_page *page);
