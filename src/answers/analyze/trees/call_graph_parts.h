/* call_graph_parts.h - inside `analyze`: a call graph while it is made. */
#pragma once

#include "analyze/trees/call_graph.h"

#define GRAPH_NONE UINT32_MAX

struct graph_function {
    struct graph_node node;
    bool is_root, is_leaf, is_on_path; /* matches the rule, or there is none of its kind */
    bool is_there;                     /* in a stack that is left */
    uint32_t level;                    /* calls from the outermost, at least */
    uint32_t shown;                    /* its node of the graph, or GRAPH_NONE */
};

/* One per node of the tree. */
struct graph_step {
    uint32_t function;    /* index */
    uint32_t level;       /* from the root rule's match on, 1 being that; 0: outside of it */
    bool is_there;        /* in a stack that `root` and `leaf` leave */
    int64_t value, count; /* of those */
};

struct graph_builder {
    struct recording *recording;
    const struct graph_rules *rules;
    struct call_tree tree;
    VEC(struct graph_function) functions;
    struct graph_step *steps;
    struct call_graph *graph;
};

/* Which parts of the stacks `root` and `leaf` leave: fills steps, and what functions have of them themselves. */
void graph_cut(struct graph_builder *builder);

/* Sums once per stack: keys[i] names what node i of the tree belongs to, GRAPH_NONE nothing.  0 or -ENOMEM. */
struct graph_sum {
    int64_t value, count;
};
int graph_sum_paths(const struct graph_builder *builder, const uint32_t *keys, size_t key_count,
                    struct graph_sum *sums);

/* The calls between the functions that are shown.  0 or -ENOMEM. */
int graph_find_edges(struct graph_builder *builder);
/* Leaves out those that are too small, too many, or cross too much.  0 or -ENOMEM. */
int graph_prune_edges(const struct graph_rules *rules, struct call_graph *graph);

/* Where the edges of each node lead: targets[first[i]] to targets[first[i + 1]]. */
struct graph_ways {
    uint32_t *first, *targets;
};
int graph_ways_init(struct graph_ways *ways, const struct call_graph *graph); /* 0 or -ENOMEM */
void graph_ways_fini(struct graph_ways *ways);

/* About how many levels the edges cross when callers stand above what they call: what placing them costs.
 * 0 or -ENOMEM. */
int graph_span(const struct call_graph *graph, uint64_t *span);
