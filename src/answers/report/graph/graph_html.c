/* SPDX-License-Identifier: Apache-2.0 */
#include "base/human.h"
#include "report/graph/graph_svg.h"

static const char page_style[] =
    "html,body{margin:0}#picture{display:block}"
    "table{font:13px \"DejaVu Sans\",Verdana,Arial,sans-serif;border-collapse:collapse;margin:12px}"
    "caption,th{text-align:left;padding:3px 10px 3px 0}"
    "td{padding:2px 10px 2px 0;border-top:1px solid #d5d8dd;overflow-wrap:anywhere}"
    "td.r{text-align:right;white-space:nowrap}";

static void put_cell(struct svg_out *out, const char *text, bool is_number)
{
    svg_raw(out, is_number ? "<td class=\"r\">" : "<td>");
    svg_text(out, text);
    svg_raw(out, "</td>");
}

static void put_row(const struct graph_scene *scene, const struct graph_node *node,
                    struct svg_out *out)
{
    const char *unit = scene->weights->metric->unit;
    char text[HUMAN_MAX];
    svg_raw(out, "<tr>");
    put_cell(out, human_value(node->total_value, unit, text), true);
    put_cell(out, human_share(node->total_value, scene->graph->whole, text), true);
    put_cell(out, human_value(node->self_value, unit, text), true);
    put_cell(out, human_share(node->self_value, scene->graph->whole, text), true);
    put_cell(out, human_count(node->total_count, text), true);
    put_cell(out, recording_text(scene->recording, node->function), false);
    put_cell(out, recording_text(scene->recording, node->module), false);
    svg_raw(out, "</tr>\n");
}

void graph_html_write(const struct graph_scene *scene, const struct graph_layout *layout,
                      struct svg_out *out)
{
    struct picture_text made;
    const char *word = graph_count_word(scene->weights->metric, 0);
    svg_raw(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>");
    svg_text(out, graph_title(scene, &made));
    svg_raw(out, "</title>\n<style>");
    svg_raw(out, page_style);
    svg_raw(out, "</style></head>\n<body>\n");
    graph_svg_element(scene, layout, out);
    svg_raw(out, "<table><caption>The same as a table, heaviest first</caption>\n"
                 "<thead><tr><th>total</th><th>share</th><th>self</th><th>share</th><th>");
    svg_raw(out, word ? word : "count");
    svg_raw(out, "</th><th>function</th><th>module</th></tr></thead>\n<tbody>\n");
    vec_each (node, &scene->graph->nodes)
        put_row(scene, node, out);
    svg_raw(out, "</tbody></table>\n</body></html>\n");
}
