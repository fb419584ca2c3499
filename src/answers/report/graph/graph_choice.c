/* SPDX-License-Identifier: Apache-2.0 */
#include "report/graph/graph_choice.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/stack_match.h"
#include "base/human.h"

#define DEPTH_MAX 100000
#define GRAPH_SPAN_MAX                                                                             \
    3000 /* graphviz takes two seconds for that, and minutes for ten times as much */

void graph_choice_init(struct graph_choice *choice)
{
    memset(choice, 0, sizeof(*choice));
    choice->node_share = 0.005;
    choice->edge_share = 0.001;
    choice->max_nodes = GRAPH_NODES_MAX;
}

static void forget(struct graph_pattern *pattern)
{
    pattern_destroy(pattern->compiled);
    *pattern = (struct graph_pattern){.text = NULL};
}

void graph_choice_fini(struct graph_choice *choice)
{
    forget(&choice->root);
    forget(&choice->leaf);
    forget(&choice->path);
}

/* "0.5" and "0.5%" are both half a percent, as for gprof2dot. */
static int take_percent(double *share, const char *argument, struct fault *fault)
{
    char *end;
    double const percent = strtod(argument, &end);
    while (end > argument && *end == ' ')
        end++;
    if (end == argument || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) ||
        !(percent >= 0 && percent <= 100))
        return fault_set(fault, -EINVAL, "\"%s\" is no share: it is a percentage such as 0.5",
                         argument);
    *share = percent / 100;
    return 0;
}

int graph_choice_take_node(void *into, const char *argument, struct fault *fault)
{
    return take_percent(&((struct graph_choice *)into)->node_share, argument, fault);
}

int graph_choice_take_edge(void *into, const char *argument, struct fault *fault)
{
    return take_percent(&((struct graph_choice *)into)->edge_share, argument, fault);
}

int graph_choice_take_nodes(void *into, const char *argument, struct fault *fault)
{
    struct graph_choice *choice = into;
    uint64_t count;
    if (human_parse_count(argument, &count) < 0 || count < 1 || count > GRAPH_NODES_CAP)
        return fault_set(fault, -EINVAL, "--nodes cannot be \"%s\": it is a number from 1 to %d",
                         argument, GRAPH_NODES_CAP);
    choice->max_nodes = count;
    return 0;
}

int graph_choice_take_depth(void *into, const char *argument, struct fault *fault)
{
    struct graph_choice *choice = into;
    uint64_t depth;
    if (human_parse_count(argument, &depth) < 0 || depth < 1 || depth > DEPTH_MAX)
        return fault_set(fault, -EINVAL, "--depth cannot be \"%s\": it is a number of calls",
                         argument);
    choice->depth = depth;
    return 0;
}

static int take_pattern(struct graph_pattern *pattern, const char *option, const char *argument,
                        struct fault *fault)
{
    forget(pattern);
    int const err = pattern_compile(argument, PATTERN_ANYWHERE, option, &pattern->compiled, fault);
    pattern->text = err ? NULL : argument;
    return err;
}

int graph_choice_take_root(void *into, const char *argument, struct fault *fault)
{
    return take_pattern(&((struct graph_choice *)into)->root, "--root", argument, fault);
}

int graph_choice_take_leaf(void *into, const char *argument, struct fault *fault)
{
    return take_pattern(&((struct graph_choice *)into)->leaf, "--leaf", argument, fault);
}

int graph_choice_take_path(void *into, const char *argument, struct fault *fault)
{
    return take_pattern(&((struct graph_choice *)into)->path, "--path", argument, fault);
}

int graph_choice_take_focus(void *into, const char *argument, struct fault *fault)
{
    if (!*argument)
        return fault_set(fault, -EINVAL, "--focus is the name of a function");
    ((struct graph_choice *)into)->focus = argument;
    return 0;
}

struct graph_rules graph_choice_rules(const struct graph_choice *choice)
{
    return (struct graph_rules){
        .merge = choice->merge,
        .node_share = choice->node_share,
        .edge_share = choice->edge_share,
        .max_nodes = (uint32_t)choice->max_nodes,
        .max_edges = 2 * (uint32_t)choice->max_nodes,
        .max_span = GRAPH_SPAN_MAX,
        .root = choice->root.compiled,
        .leaf = choice->leaf.compiled,
        .path = choice->path.compiled,
        .depth = (uint32_t)choice->depth,
    };
}

int graph_choice_narrow(const struct graph_choice *choice, struct recording *recording,
                        struct weights *weights)
{
    return choice->focus ? weights_keep_function(recording, choice->focus, weights) : 0;
}

static void add_words(char *words, size_t size, const char *what, const char *text)
{
    size_t const used = strlen(words);
    snprintf(words + used, size - used, "%s%s \"%.80s\"", used ? "; " : "", what, text);
}

void graph_choice_describe(const struct graph_choice *choice, char *words, size_t size)
{
    if (choice->focus)
        add_words(words, size, "only stacks with the function", choice->focus);
    if (choice->root.text)
        add_words(words, size, "only what is called from", choice->root.text);
    if (choice->leaf.text)
        add_words(words, size, "only what calls", choice->leaf.text);
    if (choice->path.text)
        add_words(words, size, "only functions like", choice->path.text);
    if (choice->depth) {
        char depth[HUMAN_MAX];
        add_words(words, size,
                  "at most so many calls deep:", human_count((int64_t)choice->depth, depth));
    }
}
