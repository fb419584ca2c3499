/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_scene.h"

#include <stdio.h>
#include <string.h>

#include "base/human.h"
#include "report/pictures/svg_out.h"
#include "report/text/text_frame.h"

#define NAME_CELLS 36 /* of one line ... */
#define NAME_LINES 3  /* ... of a name */

void graph_scene_init(struct graph_scene *scene)
{
    scene->most_self = 0;
    scene->has_both = scene->options->is_change;
    vec_each (node, &scene->graph->nodes) {
        double const share = call_graph_share(scene->graph, node->self_value);
        scene->most_self = share > scene->most_self ? share : scene->most_self;
        scene->has_both |= node->total_value < 0 || node->self_value < 0;
    }
}

static uint32_t color_of(const struct graph_scene *scene, int64_t value, double weight)
{
    const struct graph_theme *theme = scene->options->theme;
    if (scene->has_both)
        theme = value < 0 ? &graph_theme_shrunk : &graph_theme_grown;
    return graph_theme_color(theme, weight, scene->options->skew);
}

uint32_t graph_node_color(const struct graph_scene *scene, const struct graph_node *node)
{
    if (!scene->options->color_by_self)
        return color_of(scene, node->total_value,
                        call_graph_share(scene->graph, node->total_value));
    double const self = call_graph_share(scene->graph, node->self_value);
    return color_of(scene, node->self_value, scene->most_self > 0 ? self / scene->most_self : 0);
}

uint32_t graph_edge_color(const struct graph_scene *scene, const struct graph_edge *edge)
{
    return color_of(scene, edge->value, call_graph_share(scene->graph, edge->value));
}

const char *graph_count_word(const struct metric *metric, int64_t count)
{
    bool const is_one = count == 1;
    if (metric->count_plus == COL_NONE || strcmp(metric->unit, "calls") == 0)
        return NULL;
    if (strcmp(metric->unit, "bytes") == 0)
        return is_one ? "block" : "blocks";
    if (metric->count_plus == COL_OFFCPU_COUNT)
        return is_one ? "wait" : "waits";
    return is_one ? "sample" : "samples";
}

static struct graph_line *add_line(struct graph_label *label, enum graph_line_kind kind)
{
    struct graph_line *line = &label->lines[label->count++];
    line->kind = kind;
    line->text[0] = '\0';
    return line;
}

/* Where a line of at most `cells` ends in `text`: at a good place when there is one in its
 * second half. */
static const char *line_end(const char *text, size_t cells)
{
    const char *at = text, *good = NULL;
    for (size_t used = 0; used < cells && *at; used++) {
        uint32_t const c = text_next(&at);
        if (used >= cells / 2 && c < 0x80 && strchr(" ,:<>()[].+-/", (int)c))
            good = at;
    }
    return *at && good ? good : at;
}

static void add_name(struct graph_label *label, const char *name)
{
    for (size_t i = 0; i < NAME_LINES && *name; i++) {
        struct graph_line *line = add_line(label, GRAPH_LINE_NAME);
        const char *end = line_end(name, NAME_CELLS);
        bool const is_cut = *end && i + 1 == NAME_LINES;
        size_t const room = sizeof(line->text) - sizeof("…");
        size_t const size = (size_t)(end - name) < room ? (size_t)(end - name) : room;
        memcpy(line->text, name, size);
        memcpy(line->text + size, is_cut ? "…" : "", is_cut ? sizeof("…") : 1);
        name = end;
    }
}

/* "12.3 %  1.20 MiB" */
static void add_amount(const struct graph_scene *scene, struct graph_label *label, int64_t value,
                       bool is_self)
{
    char share[HUMAN_MAX], amount[HUMAN_MAX];
    snprintf(add_line(label, GRAPH_LINE_NUMBER)->text, GRAPH_LINE_BYTES, "%s%s  %s%s",
             is_self ? "(self " : "", human_share(value, scene->graph->whole, share),
             human_value(value, scene->weights->metric->unit, amount), is_self ? ")" : "");
}

static void add_marks(const struct graph_scene *scene, const struct graph_node *node,
                      struct graph_label *label)
{
    const char *word = graph_count_word(scene->weights->metric, node->total_count);
    char count[HUMAN_MAX] = "", cycle[24] = "";
    if (node->cycle)
        snprintf(cycle, sizeof(cycle), "cycle %u", node->cycle);
    else if (node->is_recursive)
        snprintf(cycle, sizeof(cycle), "recursive");
    if (word)
        human_count(node->total_count, count);
    if (!word && !cycle[0])
        return;
    snprintf(add_line(label, GRAPH_LINE_NUMBER)->text, GRAPH_LINE_BYTES, "%s%s%s%s%s", count,
             word ? " " : "", word ? word : "", word && cycle[0] ? ", " : "", cycle);
}

static void measure(struct graph_label *label)
{
    label->cells = 0;
    for (size_t i = 0; i < label->count; i++) {
        size_t const cells = text_cells(label->lines[i].text);
        label->cells = cells > label->cells ? cells : label->cells;
    }
}

void graph_node_label(const struct graph_scene *scene, const struct graph_node *node,
                      struct graph_label *label)
{
    const char *module = text_path_end(recording_text(scene->recording, node->module));
    const char *name = recording_text(scene->recording, node->function);
    label->count = 0;
    if (*module && strcmp(module, name) != 0) {
        const char *end = line_end(module, NAME_CELLS);
        struct graph_line *line = add_line(label, GRAPH_LINE_MODULE);
        snprintf(line->text, sizeof(line->text), "%.*s%s", (int)(end - module), module,
                 *end ? "…" : "");
    }
    add_name(label, name);
    add_amount(scene, label, node->total_value, false);
    add_amount(scene, label, node->self_value, true);
    add_marks(scene, node, label);
    measure(label);
}

void graph_edge_label(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct graph_label *label)
{
    char text[HUMAN_MAX];
    bool const is_counted = graph_count_word(scene->weights->metric, 0) != NULL;
    label->count = 0;
    snprintf(add_line(label, GRAPH_LINE_NUMBER)->text, GRAPH_LINE_BYTES, "%s",
             human_share(edge->value, scene->graph->whole, text));
    snprintf(add_line(label, GRAPH_LINE_NUMBER)->text, GRAPH_LINE_BYTES, "%s×",
             human_count_short(is_counted ? edge->count : edge->value, text));
    if (!is_counted && scene->weights->metric->count_plus == COL_NONE)
        label->count = 1; /* pages: nothing is counted */
    measure(label);
}

void graph_subtitle(const struct graph_scene *scene, struct picture_text *text)
{
    const struct metric *metric = scene->weights->metric;
    const struct call_graph *graph = scene->graph;
    const char *word = graph_count_word(metric, graph->total_count);
    char value[HUMAN_MAX], share[HUMAN_MAX];
    struct picture_text interval;
    picture_interval(scene->recording, scene->weights, &interval);
    text->text[0] = '\0';
    picture_add(text, "%s (%s): %s", metric->name, metric->unit,
                human_value(graph->total_value, metric->unit, value));
    if (word)
        picture_add(text, " in %s %s", human_count(graph->total_count, value), word);
    picture_add(text, ", %s", interval.text);
    if (scene->options->choice)
        picture_add(text, "; %s", scene->options->choice);
    if (graph->chosen_value != graph->total_value - graph->stackless_value)
        picture_add(text, "; shown stacks have %s, %s",
                    human_value(graph->chosen_value, metric->unit, value),
                    human_share(graph->chosen_value, graph->whole, share));
    if (scene->has_both)
        picture_add(text, "; shares are of what grew and shrank together, %s",
                    human_value(graph->whole, metric->unit, value));
}

void graph_left_out(const struct graph_scene *scene, struct picture_text *text)
{
    const struct call_graph *graph = scene->graph;
    const char *unit = scene->weights->metric->unit;
    char count[HUMAN_MAX], value[HUMAN_MAX], share[HUMAN_MAX];
    text->text[0] = '\0';
    if (graph->hidden_nodes)
        picture_add(text, "not shown: %s function%s, which themselves have %s (%s)",
                    human_count(graph->hidden_nodes, count), graph->hidden_nodes == 1 ? "" : "s",
                    human_value(graph->hidden_self, unit, value),
                    human_share(graph->hidden_self, graph->whole, share));
    if (graph->hidden_edges)
        picture_add(text, "%s%s lighter edge%s, the heaviest of %s",
                    graph->hidden_nodes ? "; " : "not shown: ",
                    human_count(graph->hidden_edges, count), graph->hidden_edges == 1 ? "" : "s",
                    human_share(graph->hidden_edge_most, graph->whole, share));
    if (graph->stackless_value)
        picture_add(text, "%s%s has no stack", text->text[0] ? "; " : "",
                    human_value(graph->stackless_value, unit, value));
}
