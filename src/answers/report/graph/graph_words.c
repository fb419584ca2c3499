/* SPDX-License-Identifier: Apache-2.0 */
/* graph_words.c - the longer texts of a call graph: its title, and what the mouse pointer brings
 * up. */
#include "base/human.h"
#include "report/graph/graph_svg.h"

#define NAME_BYTES 300 /* of a name; the rest of a longer one is not needed to know it */

const char *graph_title(const struct graph_scene *scene, struct picture_text *made)
{
    picture_title(scene->recording, made);
    return scene->options->title ? scene->options->title : made->text;
}

static void add_amount(const struct graph_scene *scene, struct picture_text *words,
                       const char *what, int64_t value)
{
    char amount[HUMAN_MAX], share[HUMAN_MAX];
    picture_add(words, "\n%s %s, %s", what,
                human_value(value, scene->weights->metric->unit, amount),
                human_share(value, scene->graph->whole, share));
}

static void add_count(const struct graph_scene *scene, struct picture_text *words, int64_t count)
{
    const char *word = graph_count_word(scene->weights->metric, count);
    char number[HUMAN_MAX];
    if (word)
        picture_add(words, ", %s %s", human_count(count, number), word);
}

void graph_node_words(const struct graph_scene *scene, const struct graph_node *node,
                      struct picture_text *words)
{
    const char *module = recording_text(scene->recording, node->module);
    const char *file = recording_text(scene->recording, node->file);
    words->text[0] = '\0';
    picture_add(words, "%.*s", NAME_BYTES, recording_text(scene->recording, node->function));
    add_amount(scene, words, "total", node->total_value);
    add_count(scene, words, node->total_count);
    add_amount(scene, words, "self", node->self_value);
    add_count(scene, words, node->self_count);
    if (node->cycle)
        picture_add(words, "\nin cycle %u", node->cycle);
    if (node->is_recursive)
        picture_add(words, "\ncalls itself");
    if (*file && node->line)
        picture_add(words, "\n%.60s:%u", file, node->line);
    else if (*file)
        picture_add(words, "\n%.60s", file);
    if (*module)
        picture_add(words, "\n%.60s", module);
}

void graph_edge_words(const struct graph_scene *scene, const struct graph_edge *edge,
                      struct picture_text *words)
{
    const struct graph_node *nodes = scene->graph->nodes.items;
    words->text[0] = '\0';
    picture_add(words, "%.*s → %.*s", NAME_BYTES / 2,
                recording_text(scene->recording, nodes[edge->from].function), NAME_BYTES / 2,
                recording_text(scene->recording, nodes[edge->to].function));
    add_amount(scene, words, "stacks with this call:", edge->value);
    add_count(scene, words, edge->count);
    if (edge->is_indirect)
        picture_add(words, "\nthrough functions that are not shown");
}
