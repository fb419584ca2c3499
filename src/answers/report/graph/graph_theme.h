/* graph_theme.h - colours, pens and fonts of a call graph, by the weight of a node or edge: from 0,
 * nothing, to 1, everything.
 *
 * The scales are those of gprof2dot, which many people know. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct graph_theme {
    const char *name;
    double least[3], most[3];  /* hue, saturation, lightness, 0 to 1 */
    double gamma;              /* applied to red, green and blue */
    double min_font, max_font; /* pixels */
    double min_pen, max_pen;
    bool is_outlined; /* boxes have a frame and no colour inside */
};

extern const struct graph_theme
    graph_themes[]; /* ends with a NULL name; the first is the default */
const struct graph_theme *graph_theme_find(const char *name); /* NULL when there is none */

/* For pictures that show growth and shrinking together. */
extern const struct graph_theme graph_theme_grown, graph_theme_shrunk;

/* Returns the colour as 0xrrggbb.  `skew` is above 0: with 1 the scale is unchanged, smaller values
 * show differences between small weights, larger ones between large weights. */
uint32_t graph_theme_color(const struct graph_theme *theme, double weight, double skew);
double graph_theme_font(const struct graph_theme *theme, double weight);
double graph_theme_pen(const struct graph_theme *theme, double weight);

/* Returns whether dark text is easier to read on this colour than white text. */
bool graph_color_is_light(uint32_t color);
