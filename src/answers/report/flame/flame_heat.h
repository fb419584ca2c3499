/* flame_heat.h - a heat map above a flame graph: how much happened at which time.  Select a time
 * range in the map, and the graph shows only that range.
 *
 * Without script, the picture shows the map and the graph of the whole time. */
#pragma once

#include "analyze/trees/heat_map.h"
#include "report/flame/flame_svg.h"

#define HEAT_LEVELS 8

struct flame_heat {
    const struct heat_map *map;
    const char *file; /* as the user called the recording, for the command that is shown */
    /* ns that one sample stands for, if nearly all samples have the same value; 0: waits */
    int64_t one;
    int64_t levels[HEAT_LEVELS]; /* minimum value of a cell of each colour; 0: not used */
    int64_t *cells;              /* value by slot */
    VEC(uint32_t) kept; /* nodes of the top-down tree that parts refer to, callers before callees */
    uint32_t *numbers;  /* index in `kept`, by node */
    /* number of nodes whose time is added to their caller, because there are too many nodes */
    uint32_t merged;
};

/* Like flame_svg_render.  `weights` has one row per moment sum, in the order of `sums`. */
int flame_heat_render(struct recording *recording, const struct moment_sums *sums,
                      const struct weights *weights, const struct flame_options *options,
                      struct svg_out *out, struct fault *fault);

struct flame_scene;
/* Draws the map below `top`.  Returns the y coordinate of its lower end. */
double flame_heat_draw(const struct flame_scene *scene, double top, struct svg_out *out);
void flame_heat_css(struct svg_out *out);

/* ,"heat":{"begin","column","rows","columns","one","file",
 *          "nodes":[caller,frame, …],            of flame_data.h's frames; the first is the root
 *          "parts":[slots on,how many, node,count, -node-1,count,value, …]}
 * Times in ns.  A part of `count` times "one" ns has no value of its own. */
typedef uint32_t flame_frame_index(void *context, const struct call_node *node);
void flame_heat_write(const struct flame_scene *scene, flame_frame_index *index, void *context,
                      struct svg_out *out);
