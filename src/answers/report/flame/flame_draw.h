/* flame_draw.h - the static part of a flame graph, which needs no script: header, legend, all
 * frames. */
#pragma once

#include "report/flame/flame_data.h"
#include "report/pictures/picture_text.h"

#define FLAME_ROW 18 /* pixels from one row of frames to the next */

/* Renders "heap.live (bytes): 12.3 MiB = 12,897,484 bytes in 42 blocks, at 12.5 s; only stacks
 * matching …". */
void flame_subtitle(const struct flame_scene *scene, struct picture_text *subtitle);

/* Sets `merged` and `deepest`, which depend on the width of the picture. */
void flame_measure(const struct flame_scene *scene, struct flame_view *view);

/* Draws `view` and returns the height of the picture. */
double flame_draw_static(const struct flame_scene *scene, const struct flame_view *view,
                         struct svg_out *out);
