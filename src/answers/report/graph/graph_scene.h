/* graph_scene.h - a call graph as words and amounts, before it has a place on paper: what the
 * picture and the dot file have in common. */
#pragma once

#include "analyze/trees/call_graph.h"
#include "report/graph/graph_theme.h"
#include "report/pictures/picture_text.h"

struct graph_options {
    const char *title;  /* NULL: made from the recording */
    const char *choice; /* what narrowed the stacks, or NULL */
    const struct graph_theme *theme;
    double skew;        /* of the colours; 1 as they are */
    bool is_change;     /* values are what changed: grown is red, shrunk is blue */
    bool color_by_self; /* a node's colour tells what it has itself, of what the heaviest has */
};

struct graph_scene {
    const struct recording *recording;
    const struct weights *weights;
    const struct call_graph *graph;
    const struct graph_options *options;
    double most_self; /* the largest share that a node has itself */
    bool has_both;    /* some grew and some shrank */
};

void graph_scene_init(struct graph_scene *scene); /* the last two, from the others */

uint32_t graph_node_color(const struct graph_scene *scene, const struct graph_node *node);
uint32_t graph_edge_color(const struct graph_scene *scene, const struct graph_edge *edge);

enum graph_line_kind { GRAPH_LINE_MODULE, GRAPH_LINE_NAME, GRAPH_LINE_NUMBER };
#define GRAPH_LINES_MAX  8
#define GRAPH_LINE_BYTES 256
struct graph_label {
    size_t count;
    struct graph_line {
        enum graph_line_kind kind;
        char text[GRAPH_LINE_BYTES]; /* any text: names are as recorded */
    } lines[GRAPH_LINES_MAX];
    size_t cells; /* of the widest */
};
/* Module, name (wrapped, cut), total, self, count; share and count. */
void graph_node_label(const struct graph_scene *scene, const struct graph_node *node,
                      struct graph_label *label);
void graph_edge_label(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct graph_label *label);

/* "cpu.on (ns): 12.3 s in 1,224 samples, whole run, 14.1 s; only ..." */
void graph_subtitle(const struct graph_scene *scene, struct picture_text *text);
/* What is not shown, with its sum; empty when all is. */
void graph_left_out(const struct graph_scene *scene, struct picture_text *text);
/* "blocks", "samples", "waits", or "block" of one; NULL when the value itself is the count, or
 * nothing is counted. */
const char *graph_count_word(const struct metric *metric, int64_t count);
