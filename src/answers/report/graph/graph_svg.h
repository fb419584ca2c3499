/* graph_svg.h - a call graph as one SVG file that needs nothing else, as the same in a page with
 * a table, or as text for graphviz.
 *
 * Without script it shows the whole graph.  In a browser the script inside it zooms, searches,
 * and shows what calls what.  The same input gives the same bytes. */
#pragma once

#include "report/graph/graph_layout.h"
#include "report/graph/graph_scene.h"
#include "report/pictures/svg_out.h"

/* The boxes and lines of the graph with the room that they need: what graph_layout_run takes.
 * Returns 0 or -ENOMEM. */
int graph_measure(const struct graph_scene *scene, struct graph_layout *layout);

/* Once they have their places.  Out of memory is in out->failed. */
void graph_svg_write(const struct graph_scene *scene, const struct graph_layout *layout,
                     struct svg_out *out);
void graph_html_write(const struct graph_scene *scene, const struct graph_layout *layout,
                      struct svg_out *out);

/* The language of graphviz' dot; needs no places. */
void graph_dot_write(const struct graph_scene *scene, struct svg_out *out);

/* Inside `report`: the svg element alone, and the words of one node or edge that a pointer
 * brings up. */
void graph_svg_element(const struct graph_scene *scene, const struct graph_layout *layout,
                       struct svg_out *out);
void graph_node_words(const struct graph_scene *scene, const struct graph_node *node,
                      struct picture_text *words);
void graph_edge_words(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct picture_text *words);
const char *graph_title(const struct graph_scene *scene, struct picture_text *made);
