/* plot_page.h - inside the plot: the positions of its parts, and the functions that draw them. */
#pragma once

#include "report/plot/plot_data.h"
#include "report/pictures/svg_out.h"

#define PLOT_CHAR 6.7 /* average width of a letter at 12 px, rounded up */

/* One strip of the picture with its own scale. */
struct lane {
    const char *title;
    const char *unit;   /* unit of the axis, for axis_label */
    const char *suffix; /* "/s" or "" */
    double top, bottom;
    uint64_t step, end; /* the axis runs from 0 to `end` */
};

struct plot_page {
    const struct recording *recording;
    const struct plot_data *data;
    struct svg_out *out;
    double width, height;
    double left, right; /* x coordinates of the lanes */
    bool has_heap;      /* the metric is the live heap: gauges and the peak are drawn */
    bool has_rss, has_losses;
    bool no_rate;
    const char *main_title;      /* NULL: the name of the metric */
    struct lane main, rss, rate; /* a missing lane has end 0 */
};

double plot_x(const struct plot_page *page, uint64_t time_ns);
double plot_y(const struct lane *lane, int64_t value); /* negative values are drawn at zero */

/* Decides which lanes there are, and their positions.  `top` is where the header and the marks
 * end. */
void plot_page_arrange(struct plot_page *page, double top);

/* In plot_lanes.c. */
void plot_draw_grid(const struct plot_page *page, const struct lane *lane);
void plot_draw_time_axis(const struct plot_page *page);
void plot_draw_sites(const struct plot_page *page);
void plot_draw_gauges(const struct plot_page *page);
void plot_draw_rate(const struct plot_page *page);
void plot_draw_losses(const struct plot_page *page);

/* In plot_marks.c: returns the height that labels of marks need above the lanes; draws the
 * marks. */
double plot_marks_height(const struct plot_page *page);
void plot_draw_marks(const struct plot_page *page, double top);

/* In plot_legend.c. */
void plot_draw_legend(const struct plot_page *page);
void plot_write_data(const struct plot_page *page);
