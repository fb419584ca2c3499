/* flame_heat.h - a heat map above a flame graph: when in each second it happened; pick a
 * stretch, and the graph is of that stretch.
 *
 * Without script it shows the map and the graph of all of it. */
#pragma once

#include "analyze/trees/heat_map.h"
#include "report/flame/flame_svg.h"

#define HEAT_LEVELS 8

struct flame_heat {
    const struct heat_map *map;
    const char *file; /* as the user called the recording, for the command that is shown */
    int64_t one; /* what a sample stands for, ns, where nearly all stand for the same; 0: waits */
    int64_t levels[HEAT_LEVELS]; /* the least that a cell of each colour has; 0: not used */
    int64_t *cells;              /* by slot: its value */
    VEC(uint32_t) kept; /* nodes of the top-down tree that parts are of, callers before callees */
    uint32_t *numbers;  /* by node: its place in `kept` */
    uint32_t merged;    /* nodes whose time counts for their caller, because there are so many */
};

/* As flame_svg_render.  `weights` has a row for each of `sums`, in their order. */
int flame_heat_render(struct recording *recording, const struct moment_sums *sums,
                      const struct weights *weights, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault);

struct flame_scene;
/* Draws the map below `top`; returns where it ends. */
double flame_heat_draw(const struct flame_scene *scene, double top, struct svg_out *out);
void flame_heat_css(struct svg_out *out);

/* ,"heat":{"begin","column","rows","columns","one","file",
 *          "nodes":[caller,frame, …],            of flame_data.h's frames; the first is the root
 *          "parts":[slots on,how many, node,count, -node-1,count,value, …]}
 * Times in ns.  A part of `count` times "one" ns has no value of its own. */
typedef uint32_t flame_frame_index(void *context, const struct call_node *node);
void flame_heat_write(const struct flame_scene *scene, flame_frame_index *index, void *context,
                      struct svg_out *out);
