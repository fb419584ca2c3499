/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_layout.h"

#include <errno.h>
#include <gvc.h>
#include <stdio.h>

#define PIXELS_PER_INCH 72.0 /* one point of graphviz is one pixel to us */
#define TEXT_MAX        200

struct graph_drawing {
    GVC_t *context;
    Agraph_t *graph;
    VEC(Agnode_t *) nodes;
    VEC(Agedge_t *) edges;
};

/* graphviz takes texts that it does not change without const. */
static char *words(const char *text)
{
    return (char *)(uintptr_t)text;
}

static void set_number(void *object, const char *name, double value)
{
    char text[TEXT_MAX];
    snprintf(text, sizeof(text), "%.4f", value);
    agset(object, words(name), text);
}

static void set_default(Agraph_t *graph, int kind, const char *name, const char *value)
{
    agattr(graph, kind, words(name), words(value));
}

static void set_defaults(Agraph_t *graph)
{
    static const struct {
        int kind;
        const char *name, *value;
    } all[] = {
        {AGRAPH, "nodesep", "0.25"}, {AGRAPH, "ranksep", "0.35"},
        {AGRAPH, "nslimit", "2"}, /* these three bound the time it takes */
        {AGRAPH, "nslimit1", "2"},   {AGRAPH, "mclimit", "0.5"},
        {AGNODE, "shape", "box"},    {AGNODE, "fixedsize", "true"},
        {AGNODE, "label", ""},       {AGNODE, "width", "1"},
        {AGNODE, "height", "1"},     {AGEDGE, "label", ""},
        {AGEDGE, "arrowsize", "1"},  {AGEDGE, "weight", "1"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        set_default(graph, all[i].kind, all[i].name, all[i].value);
}

static int add_boxes(struct graph_drawing *drawing, const struct graph_layout *layout)
{
    char name[TEXT_MAX];
    vec_each (box, &layout->boxes) {
        snprintf(name, sizeof(name), "n%zu", drawing->nodes.count);
        Agnode_t *node = agnode(drawing->graph, name, 1);
        if (!node || !vec_push(&drawing->nodes, node))
            return -ENOMEM;
        set_number(node, "width", box->width / PIXELS_PER_INCH);
        set_number(node, "height", box->height / PIXELS_PER_INCH);
    }
    return 0;
}

/* A table of a fixed size takes room as a text would, and no font needs to be there to measure
 * it. */
static void reserve_label(Agraph_t *graph, Agedge_t *edge, const struct graph_line_path *line)
{
    char table[TEXT_MAX];
    snprintf(table, sizeof(table),
             "<TABLE BORDER=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"%u\" HEIGHT=\"%u\"><TR><TD></TD></TR>"
             "</TABLE>",
             (unsigned)line->label_width + 1, (unsigned)line->label_height + 1);
    char *label = agstrdup_html(graph, table);
    if (!label)
        return;
    agset(edge, words("label"), label);
    agstrfree(graph, label);
}

static int add_lines(struct graph_drawing *drawing, const struct graph_layout *layout)
{
    char name[TEXT_MAX];
    vec_each (line, &layout->lines) {
        snprintf(name, sizeof(name), "e%zu", drawing->edges.count);
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): lines end at nodes */
        Agedge_t *edge = agedge(drawing->graph, drawing->nodes.items[line->from],
                                drawing->nodes.items[line->to], name, 1);
        if (!edge || !vec_push(&drawing->edges, edge))
            return -ENOMEM;
        set_number(edge, "arrowsize", line->arrow);
        set_number(edge, "weight", 1 + (int)(20 * line->share));
        if (line->label_width > 0)
            reserve_label(drawing->graph, edge, line);
    }
    return 0;
}

static struct graph_point point_of(const struct graph_layout *layout, pointf at)
{
    return (struct graph_point){at.x, layout->height - at.y};
}

static int copy_line(const struct graph_layout *layout, Agedge_t *edge,
                     struct graph_line_path *line)
{
    const splines *found = ED_spl(edge);
    if (!found || found->size < 1)
        return 0; /* no way was found: the line is not drawn */
    const bezier *curve = &found->list[0];
    for (int i = 0; i < curve->size; i++)
        if (!vec_push(&line->points, point_of(layout, curve->list[i])))
            return -ENOMEM;
    if (curve->size > 0)
        line->tip = point_of(layout, curve->eflag ? curve->ep : curve->list[curve->size - 1]);
    if (ED_label(edge) && ED_label(edge)->set)
        line->label = point_of(layout, ED_label(edge)->pos);
    return 0;
}

static int copy_places(const struct graph_drawing *drawing, struct graph_layout *layout)
{
    boxf const bounds = GD_bb(drawing->graph);
    layout->width = bounds.UR.x;
    layout->height = bounds.UR.y;
    for (size_t i = 0; i < layout->boxes.count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each box is a node */
        struct graph_point const middle = point_of(layout, ND_coord(drawing->nodes.items[i]));
        layout->boxes.items[i].x = middle.x;
        layout->boxes.items[i].y = middle.y;
    }
    for (size_t i = 0; i < layout->lines.count; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each line is an edge */
        int err = copy_line(layout, drawing->edges.items[i], &layout->lines.items[i]);
        if (err)
            return err;
    }
    return 0;
}

static int find_places(struct graph_drawing *drawing, struct graph_layout *layout,
                       struct fault *fault)
{
    set_defaults(drawing->graph);
    int err = add_boxes(drawing, layout);
    if (!err)
        err = add_lines(drawing, layout);
    if (err)
        return fault_set(fault, err, "out of memory while placing the graph");
    if (gvLayout(drawing->context, drawing->graph, "dot") != 0)
        return fault_set(fault, -EIO,
                         "graphviz could not place the graph; if it reports above that there is no "
                         "layout engine, run \"dot -c\" as root, or write -o NAME.dot");
    err = copy_places(drawing, layout);
    gvFreeLayout(drawing->context, drawing->graph);
    return err ? fault_set(fault, err, "out of memory while placing the graph") : 0;
}

int graph_layout_run(struct graph_layout *layout, struct fault *fault)
{
    struct graph_drawing drawing = {.context = gvContext()};
    drawing.graph = agopen(words("calls"), Agdirected, NULL);
    int const err = drawing.context && drawing.graph
                        ? find_places(&drawing, layout, fault)
                        : fault_set(fault, -ENOMEM, "graphviz could not be started");
    if (drawing.graph)
        agclose(drawing.graph);
    if (drawing.context)
        gvFreeContext(drawing.context);
    vec_free(&drawing.nodes);
    vec_free(&drawing.edges);
    return err;
}
