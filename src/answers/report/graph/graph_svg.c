/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_svg.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "report/embedded.h"

#define SIDE       14
#define WIDTH_MIN  760
#define LETTER     0.6025 /* advance of a monospaced font, in its size */
#define LINE       1.25   /* from one line to the next, likewise */
#define PADDING    7
#define EDGE_FONT  11.0
#define SMALL_CHAR 6.7 /* average of the 12 px header font, on the safe side */

static double node_font(const struct graph_scene *scene, const struct graph_node *node)
{
    return graph_theme_font(scene->options->theme,
                            call_graph_share(scene->graph, node->total_value));
}

static double edge_pen(const struct graph_scene *scene, const struct graph_edge *edge)
{
    return graph_theme_pen(scene->options->theme, call_graph_share(scene->graph, edge->value));
}

int graph_measure(const struct graph_scene *scene, struct graph_layout *layout)
{
    struct graph_label label;
    vec_each (node, &scene->graph->nodes) {
        double const font = node_font(scene, node);
        graph_node_label(scene, node, &label);
        struct graph_box const box = {.width = LETTER * font * (double)label.cells + 2 * PADDING,
                                      .height = LINE * font * (double)label.count + 2 * PADDING};
        if (!vec_push(&layout->boxes, box))
            return -ENOMEM;
    }
    vec_each (edge, &scene->graph->edges) {
        graph_edge_label(scene, edge, &label);
        struct graph_line_path const line = {.from = edge->from,
                                             .to = edge->to,
                                             .label_width =
                                                 LETTER * EDGE_FONT * (double)label.cells + 8,
                                             .label_height = LINE * EDGE_FONT * (double)label.count,
                                             .arrow = 0.5 * sqrt(edge_pen(scene, edge)) + 0.2,
                                             .share = call_graph_share(scene->graph, edge->value)};
        if (!vec_push(&layout->lines, line))
            return -ENOMEM;
    }
    return 0;
}

static void put_xy(struct svg_out *out, struct graph_point at)
{
    svg_point(out, at.x, at.y);
}

static void put_title(struct svg_out *out, const struct picture_text *words)
{
    char lines[sizeof(words->text)];
    char *rest = lines;
    memcpy(lines, words->text, sizeof(lines));
    svg_raw(out, "<title>");
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        svg_text(out, line);
        svg_raw(out, rest ? "\n" : "");
    }
    svg_raw(out, "</title>");
}

/* The lines of a label around a middle. */
static void put_label(struct svg_out *out, const struct graph_label *label,
                      struct graph_point middle, double font)
{
    double y = middle.y - LINE * font * (double)label->count / 2 + 0.95 * font;
    for (size_t i = 0; i < label->count; i++, y += LINE * font) {
        static const char *const classes[] = {[GRAPH_LINE_MODULE] = " class=\"o\"",
                                              [GRAPH_LINE_NAME] = " class=\"b\"",
                                              [GRAPH_LINE_NUMBER] = ""};
        svg_format(out, "<text%s", classes[label->lines[i].kind]);
        svg_attribute(out, "x", middle.x);
        svg_attribute(out, "y", y);
        svg_raw(out, ">");
        svg_text(out, label->lines[i].text);
        svg_raw(out, "</text>");
    }
}

/* From the end of the curve to the tip, as wide as seven tenths of that. */
static void put_arrow(struct svg_out *out, const struct graph_line_path *line)
{
    struct graph_point const end = line->points.items[line->points.count - 1];
    double const x = line->tip.x - end.x, y = line->tip.y - end.y;
    if (hypot(x, y) < 0.5)
        return;
    svg_raw(out, "<path d=\"M");
    put_xy(out, line->tip);
    svg_raw(out, "L");
    put_xy(out, (struct graph_point){end.x - 0.35 * y, end.y + 0.35 * x});
    svg_raw(out, "L");
    put_xy(out, (struct graph_point){end.x + 0.35 * y, end.y - 0.35 * x});
    svg_raw(out, "z\"/>");
}

static void put_curve(struct svg_out *out, const struct graph_line_path *line, double pen)
{
    svg_raw(out, "<path class=\"l\" d=\"M");
    put_xy(out, line->points.items[0]);
    for (size_t i = 1; i < line->points.count; i++) {
        svg_raw(out, i % 3 == 1 ? "C" : " ");
        put_xy(out, line->points.items[i]);
    }
    svg_raw(out, "\" stroke-width=\"");
    svg_px(out, pen, 2);
    svg_raw(out, "\"/>");
}

static void draw_edge(const struct graph_scene *scene, const struct graph_edge *edge,
                      const struct graph_line_path *line, struct svg_out *out)
{
    struct graph_label label;
    struct picture_text words;
    uint32_t const color = graph_edge_color(scene, edge);
    if (line->points.count == 0)
        return;
    graph_edge_label(scene, edge, &label);
    graph_edge_words(scene, edge, &words);
    svg_format(out,
               "<g class=\"e%s\" data-from=\"%u\" data-to=\"%u\" fill=\"#%06x\" stroke=\"#%06x\">",
               edge->is_indirect ? " i" : "", edge->from, edge->to, color, color);
    put_title(out, &words);
    put_curve(out, line, edge_pen(scene, edge));
    put_arrow(out, line);
    if (line->label.x != 0 || line->label.y != 0)
        put_label(out, &label, line->label, EDGE_FONT);
    svg_raw(out, "</g>\n");
}

static void draw_node(const struct graph_scene *scene, uint32_t index, const struct graph_box *box,
                      struct svg_out *out)
{
    const struct graph_node *node = &scene->graph->nodes.items[index];
    const struct graph_theme *theme = scene->options->theme;
    struct graph_label label;
    struct picture_text words;
    double const font = node_font(scene, node);
    uint32_t const color = graph_node_color(scene, node);
    bool const is_dark = !theme->is_outlined && !graph_color_is_light(color);
    graph_node_label(scene, node, &label);
    graph_node_words(scene, node, &words);
    svg_format(out, "<g class=\"n\" data-node=\"%u\" data-self=\"%lld\" fill=\"#%s\" font-size=\"",
               index, (long long)node->self_value, is_dark ? "ffffff" : "14171c");
    svg_px(out, font, 1);
    svg_raw(out, "\">");
    put_title(out, &words);
    svg_raw(out, "<rect");
    svg_attribute(out, "x", box->x - box->width / 2);
    svg_attribute(out, "y", box->y - box->height / 2);
    svg_attribute(out, "width", box->width);
    svg_attribute(out, "height", box->height);
    if (theme->is_outlined)
        svg_raw(out, " rx=\"3\" fill=\"#ffffff\" stroke=\"#14171c\"/>");
    else
        svg_format(out, " rx=\"3\" fill=\"#%06x\"/>", color);
    put_label(out, &label, (struct graph_point){box->x, box->y}, font);
    svg_raw(out, "</g>\n");
}

static void header_line(struct svg_out *out, const char *class, double *y, const char *text,
                        size_t cells)
{
    if (!text[0])
        return;
    *y += 18;
    svg_label_cut(out, class, (double[]){SIDE, *y}, text, cells);
}

/* Title, what it is of, how far to trust it, what is left out.  Returns where the graph may
 * begin. */
static double draw_header(const struct graph_scene *scene, double width, struct svg_out *out)
{
    struct picture_text made, text;
    double y = 8;
    size_t const cells = (size_t)((width - 2 * SIDE) / SMALL_CHAR);
    header_line(out, "h", &y, graph_title(scene, &made), cells * 2 / 3);
    graph_subtitle(scene, &text);
    header_line(out, "m", &y, text.text, cells);
    picture_quality(scene->recording, &text);
    header_line(out, "w", &y, text.text, cells);
    graph_left_out(scene, &text);
    header_line(out, "m", &y, text.text, cells);
    if (scene->graph->nodes.count == 0)
        header_line(out, "w", &y, "nothing is left to show", cells);
    return y + 14;
}

static void draw_graph(const struct graph_scene *scene, const struct graph_layout *layout,
                       double top, struct svg_out *out)
{
    svg_format(out, "<g id=\"graph\" transform=\"translate(%d %d)\">\n", SIDE, (int)top);
    for (size_t i = scene->graph->edges.count; i-- > 0;) /* the heaviest on top */
        draw_edge(scene, &scene->graph->edges.items[i], &layout->lines.items[i], out);
    for (uint32_t i = 0; i < scene->graph->nodes.count; i++)
        draw_node(scene, i, &layout->boxes.items[i], out);
    svg_raw(out, "</g>\n");
}

void graph_svg_element(const struct graph_scene *scene, const struct graph_layout *layout,
                       struct svg_out *out)
{
    struct picture_text made, subtitle;
    struct svg_out header = {0};
    double const width = fmax(WIDTH_MIN, ceil(layout->width) + 2 * SIDE);
    double const top = draw_header(scene, width, &header);
    unsigned const wide = (unsigned)width, tall = (unsigned)(top + layout->height + SIDE);
    svg_format(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"group\" id=\"picture\" "
               "aria-labelledby=\"title desc\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
               "data-width=\"%u\" data-height=\"%u\">\n<title id=\"title\">",
               wide, tall, wide, tall, (unsigned)layout->width, (unsigned)layout->height);
    svg_text(out, graph_title(scene, &made));
    svg_raw(out, "</title>\n<desc id=\"desc\">Call graph. ");
    graph_subtitle(scene, &subtitle);
    svg_text(out, subtitle.text);
    svg_raw(out, "</desc>\n<style>\n");
    svg_raw(out, embedded_graph_style_css);
    svg_raw(out, "</style>\n<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    draw_graph(scene, layout, top, out);
    svg_format(out, "<g id=\"header\"><rect class=\"bg\" width=\"100%%\" height=\"%d\"/>\n",
               (int)top - 6);
    svg_bytes(out, header.data, header.size);
    out->failed |= header.failed;
    svg_out_fini(&header);
    svg_format(out, "</g>\n<script type=\"application/json\" id=\"data\">{\"whole\":%lld,\"unit\":",
               (long long)scene->graph->whole);
    svg_json(out, scene->weights->metric->unit);
    svg_raw(out, "}</script>\n<script><![CDATA[\n");
    svg_raw(out, embedded_picture_numbers_js);
    svg_raw(out, embedded_graph_script_js);
    svg_raw(out, "]]></script>\n</svg>\n");
}

void graph_svg_write(const struct graph_scene *scene, const struct graph_layout *layout,
                     struct svg_out *out)
{
    svg_raw(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    graph_svg_element(scene, layout, out);
}
