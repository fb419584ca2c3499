/* call_graph.h - weights as a graph of functions that call each other: one node per function,
 * however many paths lead to it.
 *
 * Sums are exact: a stack counts once for each function in it, and once for each call from one
 * function to another, even when the function or the call occurs in it several times.  Small
 * functions are left out, and their number is known; where such functions stood between two
 * shown functions, the call is marked as indirect. */
#pragma once

#include <stdbool.h>

#include "analyze/trees/call_tree.h"
#include "base/pattern/pattern.h"

struct graph_rules {
    enum tree_merge merge; /* What a node is: a function, a line of a function, a module. */
    /* Nodes with a smaller share of the whole are left out; usually 0.005. */
    double node_share;
    /* Edges with a smaller share of the whole are left out, except the heaviest edge to each
     * node; usually 0.001. */
    double edge_share;
    /* Only the heaviest nodes and edges are kept, but always the heaviest edge to each node. */
    uint32_t max_nodes, max_edges;
    /* Maximum number of levels that all edges together may cross in a picture; the lightest
     * edges are left out first.  0: no limit. */
    uint32_t max_span;
    /* Only what functions that match this call, from the outermost match inward.  NULL: all. */
    const struct pattern *root;
    /* Only what calls functions that match this, up to the innermost match.  NULL: all. */
    const struct pattern *leaf;
    const struct pattern *path; /* Only functions of this name, module or file.  NULL: all. */
    uint32_t depth; /* Only functions at most this many calls from the outermost.  0: all. */
};

struct graph_node {
    string_id function, module, file; /* As in struct call_node. */
    uint32_t line;                    /* 0 when unknown or when there are several. */
    int64_t total_value, total_count; /* Of stacks that contain the node. */
    int64_t self_value, self_count;   /* Of stacks that end in the node. */
    uint32_t cycle;    /* Number of the cycle of mutually recursive functions; 0: none. */
    bool is_recursive; /* Calls itself. */
};

struct graph_edge {
    uint32_t from, to;    /* Indices into nodes. */
    int64_t value, count; /* Of stacks that contain this call. */
    bool is_indirect;     /* There are always hidden functions between the two. */
};

struct call_graph {
    VEC(struct graph_node) nodes; /* Sorted by |total|, descending; then by name. */
    VEC(struct graph_edge) edges; /* Sorted by |value|, descending. */
    int64_t whole; /* 100 % of shares: the total, or for changes all growth plus all shrinking. */
    int64_t total_value, total_count;   /* Of all weights. */
    int64_t chosen_value, chosen_count; /* Of the stacks that `root` and `leaf` keep. */
    int64_t stackless_value;            /* The part of it that has no stack. */
    uint32_t hidden_nodes;              /* Nodes left out by any rule. */
    int64_t hidden_self;                /* Self value of these nodes. */
    uint32_t hidden_edges;              /* Left-out edges between shown nodes. */
    int64_t hidden_edge_most;           /* Value of the heaviest such edge. */
    uint32_t cycle_count;
};

/* `weights` are by stack.  Returns 0; or -ENOMEM, or -EINVAL when matching a pattern takes too
 * much work, both with a sentence and an empty graph.  Call call_graph_fini after success. */
int call_graph_build(struct recording *recording, const struct weights *weights,
                     const struct graph_rules *rules, struct call_graph *graph,
                     struct fault *fault);
void call_graph_fini(struct call_graph *graph);

/* Finds the cycles of the graph by its edges (Tarjan) and numbers them.  Returns 0 or -ENOMEM. */
int call_graph_mark_cycles(struct call_graph *graph);

/* |value| as a share of the whole, 0 to 1. */
double call_graph_share(const struct call_graph *graph, int64_t value);
