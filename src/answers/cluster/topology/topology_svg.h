/* topology_svg.h - a topology as a picture: nodes on a circle, by role and name, an arc of
 * colour for each role; the more connect to a node the larger it is. */
#pragma once

#include "cluster/topology/topology_measures.h"
#include "report/pictures/svg_out.h"

/* Complete without script; with it, pointing at a node shows its connections only. */
void topology_svg_draw(const struct topology *topology, const struct topology_measures *measures,
                       const char *title, struct svg_out *out);
