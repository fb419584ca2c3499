/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/topology/topology_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE          900.0
#define RADIUS        330.0
#define NODE_LARGE    22.0
#define LABELS_MAX    160u /* more would only cover each other: the names are in the tooltips */
#define LABEL_COLUMNS 14
#define FULL_CIRCLE   6.283185307179586

static const char style[] =
    "<style>svg{font:12px \"DejaVu Sans\",Verdana,Arial,sans-serif;background:#fff}"
    "text{fill:#1a1d21}.h{font-size:17px;font-weight:bold}.m{fill:#565c66}"
    ".e{stroke:#6b7280;stroke-opacity:.35;fill:none}.on{stroke:#111;stroke-opacity:.95;"
    "stroke-width:2}.off{stroke-opacity:.05}circle{stroke:#fff;stroke-width:1}"
    ".relay{fill:#c62828}.npn{fill:#1565c0}.node{fill:#2e7d32}"
    "@media (prefers-color-scheme:dark){svg{background:#16181d}text{fill:#e8eaed}"
    ".m{fill:#a3abb6}.on{stroke:#fff}circle{stroke:#16181d}}</style>\n";

static const char script[] =
    "<script>(function(){const svg=document.currentScript.ownerSVGElement;"
    "const edges=[...svg.querySelectorAll('.e')];"
    "for(const c of svg.querySelectorAll('circle[data-n]')){"
    "c.addEventListener('pointerenter',()=>{for(const e of edges){const mine="
    "e.dataset.f===c.dataset.n||e.dataset.t===c.dataset.n;"
    "e.classList.toggle('on',mine);e.classList.toggle('off',!mine)}});"
    "c.addEventListener('pointerleave',()=>{for(const e of edges)"
    "e.classList.remove('on','off')});}})()</script>\n";

struct topology_place {
    uint32_t node;
    int rank; /* of its role */
    const char *name;
};

/* R… relay, NPN… not participating, anything else a node: names of topologies are in capitals. */
static const char *role_class(const char *name, int *rank)
{
    bool const is_npn = strncasecmp(name, "npn", 3) == 0;
    bool const is_relay = name[0] == 'R' || name[0] == 'r';
    *rank = is_relay ? 0 : is_npn ? 2 : 1;
    return is_relay ? "relay" : is_npn ? "npn" : "node";
}

static int place_order(const void *left, const void *right)
{
    const struct topology_place *a = left, *b = right;
    return a->rank != b->rank ? a->rank - b->rank : strverscmp(a->name, b->name);
}

struct topology_drawing {
    const struct topology *topology;
    const struct topology_measures *measures;
    struct svg_out *out;
    double *angles; /* by node */
    size_t label_columns;
};

static void point_of(const struct topology_drawing *drawing, uint32_t node, double *x, double *y)
{
    *x = SIDE / 2 + RADIUS * cos(drawing->angles[node]);
    *y = SIDE / 2 + 30 + RADIUS * sin(drawing->angles[node]);
}

static void draw_edges(const struct topology_drawing *drawing)
{
    const struct topology_edge *last = NULL;
    double x1, y1, x2, y2;
    vec_each (edge, &drawing->topology->edges) {
        bool const is_again = last && last->from == edge->from && last->to == edge->to;
        last = edge;
        if (is_again || edge->from == edge->to)
            continue;
        point_of(drawing, edge->from, &x1, &y1);
        point_of(drawing, edge->to, &x2, &y2);
        svg_format(drawing->out, "<path class=\"e\" data-f=\"%u\" data-t=\"%u\" d=\"M", edge->from,
                   edge->to);
        svg_point(drawing->out, x1, y1);
        svg_raw(drawing->out, "Q"); /* bent towards the middle, so that both ways are seen */
        svg_point(drawing->out, (x1 + x2) / 2 * 0.8 + SIDE / 2 * 0.2 + (y2 - y1) * 0.04,
                  (y1 + y2) / 2 * 0.8 + (SIDE / 2 + 30) * 0.2 - (x2 - x1) * 0.04);
        svg_raw(drawing->out, " ");
        svg_point(drawing->out, x2, y2);
        svg_raw(drawing->out, "\"/>\n");
    }
}

static void draw_node(const struct topology_drawing *drawing, uint32_t node, uint32_t largest)
{
    const struct node_measures *about = &drawing->measures->nodes[node];
    const char *name = drawing->topology->nodes.items[node].name;
    struct svg_out *out = drawing->out;
    uint32_t const in = about->in > 2 ? about->in : 2;
    char numbers[160];
    double x, y;
    int rank;
    point_of(drawing, node, &x, &y);
    svg_format(out, "<circle data-n=\"%u\" class=\"%s\"", node, role_class(name, &rank));
    svg_attribute(out, "cx", x);
    svg_attribute(out, "cy", y);
    svg_attribute(out, "r", 4 + (NODE_LARGE - 4) * sqrt((double)in / largest));
    svg_raw(out, "><title>");
    svg_text(out, name);
    snprintf(numbers, sizeof(numbers),
             ": in %u, out %u, degree centrality %.3f, load centrality %.3f", about->in, about->out,
             about->degree_centrality, about->load_centrality);
    svg_text(out, numbers);
    svg_raw(out, "</title></circle>");
    if (drawing->topology->nodes.count <= LABELS_MAX) {
        double const away = NODE_LARGE + 6, angle = drawing->angles[node];
        svg_raw(out, "<text");
        svg_attribute(out, "x", x + away * cos(angle));
        svg_attribute(out, "y", y + away * sin(angle) + 4);
        svg_raw(out, cos(angle) < -0.1  ? " text-anchor=\"end\">"
                     : cos(angle) > 0.1 ? ">"
                                        : " text-anchor=\"middle\">");
        svg_text_cut(out, name, drawing->label_columns);
        svg_raw(out, "</text>");
    }
    svg_raw(out, "\n");
}

static void draw_head(const struct topology_drawing *drawing, const char *title)
{
    const struct topology_measures *measures = drawing->measures;
    struct svg_out *out = drawing->out;
    char text[240];
    svg_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\">\n",
               (int)SIDE, (int)SIDE + 30, (int)SIDE, (int)SIDE + 30);
    svg_raw(out, style);
    svg_label_cut(out, "h", (double[]){20, 30}, title, 90);
    snprintf(text, sizeof(text),
             "%zu nodes, %llu connections; transitivity %.3f, mean clustering %.3f, mean shortest "
             "path %.2f%s",
             drawing->topology->nodes.count, (unsigned long long)measures->edges,
             measures->transitivity, measures->mean_clustering, measures->mean_path,
             measures->apart ? " (not all reach each other)" : "");
    svg_label(out, "m", 20, 50, text);
    svg_raw(out, "<g transform=\"translate(20,70)\"><circle r=\"5\" cx=\"5\" "
                 "class=\"relay\"/><text x=\"16\" y=\"4\">relay</text><circle r=\"5\" cx=\"75\" "
                 "class=\"node\"/><text x=\"86\" y=\"4\">node</text><circle r=\"5\" cx=\"145\" "
                 "class=\"npn\"/><text x=\"156\" y=\"4\">not participating</text></g>\n");
}

void topology_svg_draw(const struct topology *topology, const struct topology_measures *measures,
                       const char *title, struct svg_out *out)
{
    size_t const count = topology->nodes.count;
    struct topology_place *places = calloc(count + 1, sizeof(*places));
    struct topology_drawing drawing = {topology, measures, out, calloc(count + 1, sizeof(double)),
                                       topology_name_columns(topology, LABEL_COLUMNS)};
    uint32_t largest = 2;
    if (!places || !drawing.angles) {
        out->failed = true;
        goto out;
    }
    for (uint32_t i = 0; i < count; i++) {
        places[i] = (struct topology_place){.node = i, .name = topology->nodes.items[i].name};
        role_class(places[i].name, &places[i].rank);
        largest = measures->nodes[i].in > largest ? measures->nodes[i].in : largest;
    }
    qsort(places, count, sizeof(*places), place_order);
    for (size_t i = 0; i < count; i++)
        drawing.angles[places[i].node] = FULL_CIRCLE * ((double)i / (double)count - 0.25);
    draw_head(&drawing, title);
    draw_edges(&drawing);
    for (uint32_t i = 0; i < count; i++)
        draw_node(&drawing, i, largest);
    svg_raw(out, script);
    svg_raw(out, "</svg>\n");
out:
    free(places);
    free(drawing.angles);
}
