/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/call_graph_parts.h"
#include "base/hash.h"
#include "base/invariant.h"

/* Edges are found by their two ends; never more than half of the slots are taken. */
struct finder {
    struct call_graph *graph;
    uint32_t *slots; /* edge index + 1, 0 when free */
    size_t mask;
    uint32_t *near; /* by node of the tree: the nearest one outside of it that is shown; 0: none */
    uint32_t *keys; /* by node of the tree: the edge that leads to it */
};

static uint32_t shown_of(const struct graph_builder *builder, uint32_t step)
{
    return builder->steps[step].is_there
               ? builder->functions.items[builder->steps[step].function].shown
               : GRAPH_NONE;
}

static int find_edge(struct finder *finder, struct graph_edge wanted, uint32_t *index)
{
    INVARIANT(finder->graph->edges.count <= finder->mask); /* so there is a free slot */
    INVARIANT(wanted.from < finder->graph->nodes.count && wanted.to < finder->graph->nodes.count);
    struct call_graph *graph = finder->graph;
    size_t at = hash_mix(((uint64_t)wanted.from << 32 | wanted.to) + 1) & finder->mask;
    for (; finder->slots[at]; at = (at + 1) & finder->mask) {
        struct graph_edge *known = &graph->edges.items[finder->slots[at] - 1];
        if (known->from == wanted.from && known->to == wanted.to) {
            known->is_indirect = known->is_indirect && wanted.is_indirect;
            *index = finder->slots[at] - 1;
            return 0;
        }
    }
    *index = (uint32_t)graph->edges.count;
    finder->slots[at] = *index + 1;
    return vec_push(&graph->edges, wanted) ? 0 : -ENOMEM;
}

static int find_edges(struct finder *finder, const struct graph_builder *builder)
{
    for (uint32_t i = 1; i < builder->tree.nodes.count; i++) {
        uint32_t const parent = builder->tree.nodes.items[i].parent;
        INVARIANT(parent < i);
        uint32_t const outer =
            parent && shown_of(builder, parent) != GRAPH_NONE ? parent : finder->near[parent];
        finder->near[i] = outer;
        finder->keys[i] = GRAPH_NONE;
        if (!outer || shown_of(builder, i) == GRAPH_NONE)
            continue;
        struct graph_edge const edge = {.from = shown_of(builder, outer),
                                        .to = shown_of(builder, i),
                                        .is_indirect = outer != parent};
        int err = find_edge(finder, edge, &finder->keys[i]);
        if (err)
            return err;
    }
    return 0;
}

static int sum_edges(const struct finder *finder, const struct graph_builder *builder)
{
    struct call_graph *graph = finder->graph;
    struct graph_sum *sums = calloc(graph->edges.count + 1, sizeof(*sums));
    int err = sums ? graph_sum_paths(builder, finder->keys, graph->edges.count, sums) : -ENOMEM;
    for (size_t i = 0; i < graph->edges.count && !err; i++) {
        graph->edges.items[i].value = sums[i].value;
        graph->edges.items[i].count = sums[i].count;
    }
    free(sums);
    return err;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static int compare_edges(const void *left, const void *right)
{
    const struct graph_edge *a = left, *b = right;
    if (magnitude(a->value) != magnitude(b->value))
        return magnitude(a->value) > magnitude(b->value) ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

int graph_find_edges(struct graph_builder *builder)
{
    size_t const count = builder->tree.nodes.count;
    struct finder finder = {.graph = builder->graph, .mask = 1};
    while (finder.mask + 1 < 2 * count) /* a node of the tree adds one edge at most */
        finder.mask = 2 * finder.mask + 1;
    finder.slots = calloc(finder.mask + 1, sizeof(uint32_t));
    finder.near = calloc(count, sizeof(uint32_t));
    finder.keys = calloc(count, sizeof(uint32_t));
    int err = finder.slots && finder.near && finder.keys ? find_edges(&finder, builder) : -ENOMEM;
    if (!err)
        err = sum_edges(&finder, builder);
    if (!err && builder->graph->edges.count)
        qsort(builder->graph->edges.items, builder->graph->edges.count,
              sizeof(builder->graph->edges.items[0]), compare_edges);
    free(finder.slots);
    free(finder.near);
    free(finder.keys);
    return err;
}

/* Edges come heaviest first, so the first one that leads to a node is the one it keeps. */
static int keep_heaviest(const struct graph_rules *rules, uint32_t most, struct call_graph *graph)
{
    bool *has_caller = calloc(graph->nodes.count + 1, sizeof(*has_caller));
    size_t kept = 0;
    if (!has_caller)
        return -ENOMEM;
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct graph_edge const edge = graph->edges.items[i];
        INVARIANT(kept <= i);
        bool const is_large =
            kept < most && call_graph_share(graph, edge.value) >= rules->edge_share;
        bool const is_only = edge.from != edge.to && !has_caller[edge.to];
        if (is_large || is_only) {
            has_caller[edge.to] |= edge.from != edge.to;
            graph->edges.items[kept++] = edge;
            continue;
        }
        if (magnitude(edge.value) > magnitude(graph->hidden_edge_most))
            graph->hidden_edge_most = edge.value;
        graph->hidden_edges++;
    }
    graph->edges.count = kept;
    free(has_caller);
    return 0;
}

int graph_prune_edges(const struct graph_rules *rules, struct call_graph *graph)
{
    uint64_t span = 0;
    uint32_t most = rules->max_edges;
    for (;;) {
        int err = keep_heaviest(rules, most, graph);
        if (!err && rules->max_span)
            err = graph_span(graph, &span);
        if (err || span <= rules->max_span || most == 0)
            return err;
        if (most > graph->edges.count)
            most = (uint32_t)graph->edges.count;
        most -= most / 8 + 1;
    }
}
