/* line_chart.h - numbers over time (or over block heights) as lines: charts one below the other
 * that share the lower axis, as one SVG file that needs nothing else.
 *
 * A missing number is a gap in the line, never a zero.  Complete without script; with it, all
 * values under the pointer.  The same input gives the same bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "report/pictures/svg_out.h"

struct chart_point {
    int64_t x; /* Unix time in microseconds, or any number */
    double y;  /* NaN: a gap */
};
struct chart_line {
    const char *name;
    const struct chart_point *points; /* by x */
    size_t count;
    int color; /* 0 to 15; -1: by its place in the chart */
};
struct chart_lane {
    const char *title;
    /* "bytes", "bytes/s" are binary; anything else is written behind decimal numbers; "" */
    const char *unit;
    const struct chart_line *lines;
    size_t line_count;
    bool is_dots; /* points without lines */
};
struct line_chart {
    const char *title, *subtitle;
    bool x_is_time;
    const char *x_title; /* when it is no time; NULL: none */
    const struct chart_lane *lanes;
    size_t lane_count;
    unsigned width, lane_height; /* pixels; 0: 1200 and 200 */
};

/* Writes the whole file.  Running out of memory sets out->failed. */
void line_chart_render(const struct line_chart *chart, struct svg_out *out);

/* "12.3 MiB/s", "1.25k", "0.004": what stands at an axis and in legends. */
#define CHART_NUMBER_MAX 48
const char *chart_number(double value, const char *unit, char text[CHART_NUMBER_MAX]);
/* Returns a round distance of ticks such that about `wanted` reach over `span`. */
double chart_step(double span, const char *unit, unsigned wanted);
