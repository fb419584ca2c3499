/* graph_svg.h - a call graph as one SVG file that needs no other file, as an HTML page with the SVG
 * and a table, or as text for graphviz.
 *
 * Without script the file shows the whole graph.  In a browser, the script in the file zooms,
 * searches, and shows callers and callees.  The same input gives the same bytes. */
#pragma once

#include "report/graph/graph_layout.h"
#include "report/graph/graph_scene.h"
#include "report/pictures/svg_out.h"

/* Makes the boxes and lines of the graph with their sizes, as input of graph_layout_run.  Returns 0
 * or -ENOMEM. */
int graph_measure(const struct graph_scene *scene, struct graph_layout *layout);

/* Write the file, after graph_layout_run.  When out of memory, out->failed is set. */
void graph_svg_write(const struct graph_scene *scene, const struct graph_layout *layout,
                     struct svg_out *out);
void graph_html_write(const struct graph_scene *scene, const struct graph_layout *layout,
                      struct svg_out *out);

/* Writes the language of graphviz' dot; needs no layout. */
void graph_dot_write(const struct graph_scene *scene, struct svg_out *out);

/* Inside `report`: the <svg> element alone, and the text that the pointer shows for a node or an
 * edge. */
void graph_svg_element(const struct graph_scene *scene, const struct graph_layout *layout,
                       struct svg_out *out);
void graph_node_words(const struct graph_scene *scene, const struct graph_node *node,
                      struct picture_text *words);
void graph_edge_words(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct picture_text *words);
const char *graph_title(const struct graph_scene *scene, struct picture_text *made);
