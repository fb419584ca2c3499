/* graph_rules.h - inside `memoir graph`: the options that say what is left out. */
#pragma once

#include <regex.h>

#include "analyze/call_graph.h"
#include "cli/options.h"

struct graph_choice {
    double node_share, edge_share;
    uint64_t depth, max_nodes;
    struct graph_pattern {
        const char *text; /* as typed; NULL: not given */
        regex_t regex;
    } root, leaf, path;
    enum tree_merge merge;
};
#define GRAPH_NODES_MAX 300 /* more cannot be read; --nodes changes it */
#define GRAPH_NODES_CAP 2000

void graph_choice_init(struct graph_choice *choice);
void graph_choice_fini(struct graph_choice *choice);

extern const struct option_rule graph_choice_rules_table[]; /* into a graph_choice */

/* For call_graph_build; valid as long as the choice. */
struct graph_rules graph_choice_rules(const struct graph_choice *choice);

/* Adds what --root, --leaf, --path and --depth do, for the subtitle. */
void graph_choice_describe(const struct graph_choice *choice, char *words, size_t size);
