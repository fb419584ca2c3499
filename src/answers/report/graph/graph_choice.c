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
static int parse_percent(double *share, const char *value, struct fault *fault)
{
    char *end;
    double const percent = strtod(value, &end);
    while (end > value && *end == ' ')
        end++;
    if (end == value || (strcmp(end, "") != 0 && strcmp(end, "%") != 0) ||
        !(percent >= 0 && percent <= 100))
        return fault_set(fault, -EINVAL, "\"%s\" is no share: it is a percentage such as 0.5",
                         value);
    *share = percent / 100;
    return 0;
}

static int parse_number(uint64_t *number, uint64_t most, const char *name, const char *value,
                        struct fault *fault)
{
    uint64_t count;
    if (human_parse_count(value, &count) < 0 || count < 1 || count > most)
        return fault_set(fault, -EINVAL, "%s cannot be \"%s\": it is a number from 1 to %llu", name,
                         value, (unsigned long long)most);
    *number = count;
    return 0;
}

static int parse_pattern(struct graph_pattern *pattern, const char *name, const char *value,
                         struct fault *fault)
{
    forget(pattern);
    int const err = pattern_compile(value, PATTERN_ANYWHERE, name, &pattern->compiled, fault);
    pattern->text = err ? NULL : value;
    return err;
}

static int parse_focus(struct graph_choice *choice, const char *name, const char *value,
                       struct fault *fault)
{
    if (!*value)
        return fault_set(fault, -EINVAL, "%s is the name of a function", name);
    choice->focus = value;
    return 0;
}

static const char *const names[] = {"node-thres", "edge-thres", "nodes", "focus",
                                    "root",       "leaf",       "path",  "depth"};
enum { NODE_SHARE, EDGE_SHARE, NODES, FOCUS, ROOT, LEAF, PATH, DEPTH };

const char *graph_choice_name(size_t index)
{
    return index < sizeof(names) / sizeof(names[0]) ? names[index] : NULL;
}

static size_t find_name(const char *bare)
{
    size_t i = 0;
    while (i < sizeof(names) / sizeof(names[0]) && strcmp(names[i], bare) != 0)
        i++;
    return strcmp(bare, "n") == 0 ? NODE_SHARE : strcmp(bare, "e") == 0 ? EDGE_SHARE : i;
}

int graph_choice_parse(void *into, const char *name, const char *value, struct fault *fault)
{
    struct graph_choice *choice = into;
    switch (find_name(name + strspn(name, "-"))) {
    case NODE_SHARE:
        return parse_percent(&choice->node_share, value, fault);
    case EDGE_SHARE:
        return parse_percent(&choice->edge_share, value, fault);
    case NODES:
        return parse_number(&choice->max_nodes, GRAPH_NODES_CAP, name, value, fault);
    case FOCUS:
        return parse_focus(choice, name, value, fault);
    case ROOT:
        return parse_pattern(&choice->root, name, value, fault);
    case LEAF:
        return parse_pattern(&choice->leaf, name, value, fault);
    case PATH:
        return parse_pattern(&choice->path, name, value, fault);
    case DEPTH:
        return parse_number(&choice->depth, DEPTH_MAX, name, value, fault);
    default:
        return fault_set(fault, -EINVAL, "a graph has no %s", name);
    }
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
