/* call_graph.h - weights as a graph of functions that call each other: each function once, however many ways lead to it.
 *
 * Sums are exact: a stack counts once for a function, and once for a call from one function to another, however often
 * either is in it.  Small functions are left out and said so; where they stood between two that are shown, the call is
 * marked as indirect. */
#pragma once

#include <stdbool.h>

#include "analyze/trees/call_tree.h"
#include "base/pattern.h"

struct graph_rules {
    enum tree_merge merge; /* what a node is: a function, a line of one, a module */
    double node_share;     /* nodes with less of the whole are left out; 0.005 is usual */
    double edge_share;     /* likewise, but a node keeps its heaviest caller; 0.001 is usual */
    uint32_t max_nodes, max_edges; /* the heaviest; a node keeps its heaviest caller all the same */
    uint32_t
        max_span; /* 0, or: levels that all edges together may cross in a picture; the lightest go first */
    const struct pattern
        *root; /* NULL, or: only what functions like this call, from the outermost on */
    const struct pattern
        *leaf; /* NULL, or: only what calls functions like this, to the innermost */
    const struct pattern *path; /* NULL, or: only functions of this name, module or file */
    uint32_t depth;             /* 0, or: only functions at most so many calls from the outermost */
};

struct graph_node {
    string_id function, module, file; /* as of a call_node */
    uint32_t line;                    /* 0 when unknown or several */
    int64_t total_value, total_count; /* of stacks that it is in */
    int64_t self_value, self_count;   /* of stacks that end in it */
    uint32_t cycle;    /* 0, or: one number for all functions that reach each other by calls */
    bool is_recursive; /* calls itself */
};

struct graph_edge {
    uint32_t from, to;    /* indices into nodes */
    int64_t value, count; /* of stacks with this call in them */
    bool is_indirect;     /* never without others in between, which are not shown */
};

struct call_graph {
    VEC(struct graph_node) nodes; /* by |total|, falling; then by name */
    VEC(struct graph_edge) edges; /* by |value|, falling */
    int64_t whole; /* what shares are shares of: the total, or what grew and shrank together */
    int64_t total_value, total_count;   /* of all weights */
    int64_t chosen_value, chosen_count; /* of stacks that `root` and `leaf` leave */
    int64_t stackless_value;            /* of it, without any stack */
    uint32_t hidden_nodes;              /* left out by any rule ... */
    int64_t hidden_self;                /* ... and what they themselves have */
    uint32_t hidden_edges;              /* between nodes that are shown ... */
    int64_t hidden_edge_most;           /* ... and the heaviest of them */
    uint32_t cycle_count;
};

/* `weights` are by stack.  0, or with a sentence and the graph empty -ENOMEM, or -EINVAL when a rule is too much work for the names.  Call
 * call_graph_fini after success. */
int call_graph_build(struct recording *recording, const struct weights *weights,
                     const struct graph_rules *rules, struct call_graph *graph,
                     struct fault *fault);
void call_graph_fini(struct call_graph *graph);

/* Numbers the cycles among the nodes by the edges there are (Tarjan).  0 or -ENOMEM. */
int call_graph_mark_cycles(struct call_graph *graph);

/* |value| as a part of the whole, 0 to 1. */
double call_graph_share(const struct call_graph *graph, int64_t value);
