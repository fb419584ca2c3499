/* call_graph_parts.h - inside `analyze`: a call graph while it is being built. */
#pragma once

#include "analyze/trees/call_graph.h"

#define GRAPH_NONE UINT32_MAX

struct graph_function {
    struct graph_node node;
    bool is_root, is_leaf, is_on_path; /* Matches that rule, or there is no such rule. */
    bool is_there;                     /* In a stack that the rules keep. */
    uint32_t level;                    /* Smallest number of calls from the outermost. */
    uint32_t shown;                    /* Index of its node in the graph, or GRAPH_NONE. */
};

/* One per node of the call tree. */
struct graph_step {
    uint32_t function;    /* Index into functions. */
    uint32_t level;       /* Distance from the match of `root`, which has 1; 0: outside. */
    bool is_there;        /* In a stack that `root` and `leaf` keep. */
    int64_t value, count; /* Of those stacks. */
};

struct graph_builder {
    struct recording *recording;
    const struct graph_rules *rules;
    struct call_tree tree;
    VEC(struct graph_function) functions;
    struct graph_step *steps;
    struct call_graph *graph;
};

/* Applies `root` and `leaf`: fills the steps, and the self values of the functions. */
void graph_cut(struct graph_builder *builder);

/* Sums so that each stack counts once per key: keys[i] is the key of node i of the tree,
 * GRAPH_NONE: none.  Returns 0 or -ENOMEM. */
struct graph_sum {
    int64_t value, count;
};
int graph_sum_paths(const struct graph_builder *builder, const uint32_t *keys, size_t key_count,
                    struct graph_sum *sums);

/* Finds the edges between the shown functions.  Returns 0 or -ENOMEM. */
int graph_find_edges(struct graph_builder *builder);
/* Removes edges that are too small, too many, or cross too many levels.  Returns 0 or -ENOMEM. */
int graph_prune_edges(const struct graph_rules *rules, struct call_graph *graph);

/* Targets of the edges of node i: targets[first[i]] up to, not including, targets[first[i + 1]]. */
struct graph_ways {
    uint32_t *first, *targets;
};
int graph_ways_init(struct graph_ways *ways, const struct call_graph *graph); /* 0 or -ENOMEM. */
void graph_ways_fini(struct graph_ways *ways);

/* Estimates how many levels the edges cross when callers are drawn above callees: the cost of
 * the layout.  Returns 0 or -ENOMEM. */
int graph_span(const struct call_graph *graph, uint64_t *span);
