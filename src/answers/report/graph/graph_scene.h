/* graph_scene.h - the texts, colours and sizes of a call graph, before anything has a position:
 * what the picture and the dot file share. */
#pragma once

#include "analyze/trees/call_graph.h"
#include "report/graph/graph_theme.h"
#include "report/pictures/picture_text.h"

struct graph_options {
    const char *title;  /* NULL: made from the recording */
    const char *choice; /* what selected the stacks, or NULL */
    const struct graph_theme *theme;
    double skew;        /* skew of the colours; 1: none */
    bool is_change;     /* values are changes: grown is red, shrunk is blue */
    bool color_by_self; /* the colour shows a node's own value, relative to the largest own value */
};

struct graph_scene {
    const struct recording *recording;
    const struct weights *weights;
    const struct call_graph *graph;
    const struct graph_options *options;
    double most_self; /* largest own share of a node */
    bool has_both;    /* some nodes grew and some shrank */
};

void graph_scene_init(struct graph_scene *scene); /* sets the last two fields */

uint32_t graph_node_color(const struct graph_scene *scene, const struct graph_node *node);
uint32_t graph_edge_color(const struct graph_scene *scene, const struct graph_edge *edge);

enum graph_line_kind { GRAPH_LINE_MODULE, GRAPH_LINE_NAME, GRAPH_LINE_NUMBER };
#define GRAPH_LINES_MAX  8
#define GRAPH_LINE_BYTES 256
struct graph_label {
    size_t count;
    struct graph_line {
        enum graph_line_kind kind;
        char text[GRAPH_LINE_BYTES]; /* may be any bytes: names are as recorded */
    } lines[GRAPH_LINES_MAX];
    size_t cells; /* columns of the widest line */
};
/* Make the label of a node: module, name (wrapped and cut), total, self, count; and of an edge:
 * share and count. */
void graph_node_label(const struct graph_scene *scene, const struct graph_node *node,
                      struct graph_label *label);
void graph_edge_label(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct graph_label *label);

/* Renders "cpu.on (ns): 12.3 s in 1,224 samples, whole run, 14.1 s; only ...". */
void graph_subtitle(const struct graph_scene *scene, struct picture_text *text);
/* Renders how much is not shown; an empty text if everything is shown. */
void graph_left_out(const struct graph_scene *scene, struct picture_text *text);
/* Returns "blocks", "samples", "waits", or the singular if `count` is 1.  NULL if the value itself
 * is the count, or if nothing is counted. */
const char *graph_count_word(const struct metric *metric, int64_t count);
