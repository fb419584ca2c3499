/* line_chart.h - line charts of numbers over time, or over block heights.  Charts are one below the
 * other and share the lower axis; the output is one SVG file that needs no other file.
 *
 * A missing number is a gap in the line, never a zero.  The file is complete without script; with
 * script, it shows all values at the pointer.  The same input gives the same bytes. */
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
    const struct chart_point *points; /* sorted by x */
    size_t count;
    int color; /* 0 to 15; -1: depends on the index of the line in the chart */
};
struct chart_lane {
    const char *title;
    /* "bytes" and "bytes/s" have binary prefixes; any other unit is written after decimal numbers;
     * "": none */
    const char *unit;
    const struct chart_line *lines;
    size_t line_count;
    bool is_dots; /* draw points without lines between them */
};
struct line_chart {
    const char *title, *subtitle;
    bool x_is_time;
    const char *x_title; /* if x is not a time; NULL: none */
    const struct chart_lane *lanes;
    size_t lane_count;
    unsigned width, lane_height; /* pixels; 0: 1200 and 200 */
};

/* Writes the whole file.  Running out of memory sets out->failed. */
void line_chart_render(const struct line_chart *chart, struct svg_out *out);

/* Renders a number for axes and legends: "12.3 MiB/s", "1.25k", "0.004".  Returns `text`. */
#define CHART_NUMBER_MAX 48
const char *chart_number(double value, const char *unit, char text[CHART_NUMBER_MAX]);
/* Returns a round distance between ticks, so that about `wanted` ticks fit in `span`. */
double chart_step(double span, const char *unit, unsigned wanted);
