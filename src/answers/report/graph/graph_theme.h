/* graph_theme.h - colours, pens and letters of a call graph, by how much a node or edge has: 0
 * nothing, 1 all.
 *
 * The scales are those of gprof2dot, which people know how to read. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct graph_theme {
    const char *name;
    double least[3], most[3];  /* hue, saturation, lightness, 0 to 1 */
    double gamma;              /* of each of red, green and blue */
    double min_font, max_font; /* pixels */
    double min_pen, max_pen;
    bool is_outlined; /* boxes have a frame and no colour inside */
};

extern const struct graph_theme
    graph_themes[]; /* ends with a NULL name; the first is the usual one */
const struct graph_theme *graph_theme_find(const char *name); /* NULL when there is none */

/* For what grew and what shrank, where both are in one picture. */
extern const struct graph_theme graph_theme_grown, graph_theme_shrunk;

/* 0xrrggbb.  `skew` > 0: 1 as it is, smaller shows differences among small weights, larger among
 * large ones. */
uint32_t graph_theme_color(const struct graph_theme *theme, double weight, double skew);
double graph_theme_font(const struct graph_theme *theme, double weight);
double graph_theme_pen(const struct graph_theme *theme, double weight);

/* Returns whether dark letters are easier to read on it than white ones. */
bool graph_color_is_light(uint32_t color);
