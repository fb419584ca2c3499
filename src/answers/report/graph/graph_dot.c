/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "report/graph/graph_svg.h"

/* In a quoted text of dot a quote and a backslash mean something, and & begins a character by
 * its name. */
static void put_quoted(struct svg_out *out, const char *text)
{
    for (const char *at = text; *text; text = at) {
        uint32_t const c = text_next(&at);
        if (c == '"' || c == '\\')
            svg_format(out, "\\%c", (int)c);
        else if (*text == '\n')
            svg_raw(out, "\\n");
        else if (c == '&')
            svg_raw(out, "&amp;");
        else if (c == 0xfffd)
            svg_raw(out, "\xef\xbf\xbd");
        else
            svg_bytes(out, text, (size_t)(at - text));
    }
}

static void put_label(struct svg_out *out, const struct graph_label *label)
{
    svg_raw(out, "label=\"");
    for (size_t i = 0; i < label->count; i++) {
        if (i > 0)
            svg_raw(out, "\\n");
        put_quoted(out, label->lines[i].text);
    }
    svg_raw(out, "\"");
}

static void put_number(struct svg_out *out, const char *name, double value)
{
    svg_format(out, ", %s=\"", name);
    svg_px(out, value, 2);
    svg_raw(out, "\"");
}

static void put_node(const struct graph_scene *scene, uint32_t index, struct svg_out *out)
{
    const struct graph_node *node = &scene->graph->nodes.items[index];
    const struct graph_theme *theme = scene->options->theme;
    uint32_t const color = graph_node_color(scene, node);
    struct graph_label label;
    struct picture_text words;
    graph_node_label(scene, node, &label);
    graph_node_words(scene, node, &words);
    svg_format(out, "\tn%u [", index);
    put_label(out, &label);
    svg_raw(out, ", tooltip=\"");
    put_quoted(out, words.text);
    svg_format(out, "\", color=\"#%06x\", fontcolor=\"#%s\"", theme->is_outlined ? 0 : color,
               theme->is_outlined || graph_color_is_light(color) ? "14171c" : "ffffff");
    put_number(out, "fontsize",
               graph_theme_font(theme, call_graph_share(scene->graph, node->total_value)) * 10 /
                   12);
    svg_raw(out, "];\n");
}

static void put_edge(const struct graph_scene *scene, const struct graph_edge *edge,
                     struct svg_out *out)
{
    double const pen =
        graph_theme_pen(scene->options->theme, call_graph_share(scene->graph, edge->value));
    uint32_t const color = graph_edge_color(scene, edge);
    struct graph_label label;
    graph_edge_label(scene, edge, &label);
    svg_format(out, "\tn%u -> n%u [", edge->from, edge->to);
    put_label(out, &label);
    svg_format(out, ", color=\"#%06x\", fontcolor=\"#%06x\"", color, color);
    put_number(out, "penwidth", pen);
    put_number(out, "arrowsize", 0.5 * sqrt(pen));
    svg_raw(out, edge->is_indirect ? ", style=\"dashed\"];\n" : "];\n");
}

void graph_dot_write(const struct graph_scene *scene, struct svg_out *out)
{
    struct picture_text made, text;
    svg_raw(out, "digraph calls {\n\tgraph [fontname=\"DejaVu Sans\", nodesep=\"0.125\", "
                 "ranksep=\"0.25\", labelloc=\"t\", labeljust=\"l\", label=\"");
    put_quoted(out, graph_title(scene, &made));
    svg_raw(out, "\\l");
    graph_subtitle(scene, &text);
    put_quoted(out, text.text);
    svg_raw(out, "\\l");
    graph_left_out(scene, &text);
    put_quoted(out, text.text);
    svg_format(out,
               "\\l\"];\n\tnode [fontname=\"DejaVu Sans\", shape=\"box\", style=\"%s\", "
               "fontcolor=\"white\"];\n\tedge [fontname=\"DejaVu Sans\", fontsize=\"10\"];\n",
               scene->options->theme->is_outlined ? "solid" : "filled");
    for (uint32_t i = 0; i < scene->graph->nodes.count; i++)
        put_node(scene, i, out);
    vec_each (edge, &scene->graph->edges)
        put_edge(scene, edge, out);
    svg_raw(out, "}\n");
}
