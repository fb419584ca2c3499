/* topology_svg.h - draws a topology: nodes on a circle, sorted by role and name, and a coloured arc
 * for each role.  Nodes with more connections are larger. */
#pragma once

#include "cluster/topology/topology_measures.h"
#include "report/pictures/svg_out.h"

/* The picture is complete without script; with script, pointing at a node shows only its
 * connections. */
void topology_svg_draw(const struct topology *topology, const struct topology_measures *measures,
                       const char *title, struct svg_out *out);
