/* SPDX-License-Identifier: Apache-2.0 */
/* Tarjan's strongly connected components, without recursion: graphs come from files. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/call_graph.h"

struct visit {
    uint32_t order, low; /* order 0: not seen yet */
    uint32_t next_edge;  /* the next one to follow, of those sorted by where they begin */
    uint32_t came_from;  /* index + 1 of the node that led here; 0 for the first */
    bool is_open;        /* on the stack of those whose component is not known yet */
};

struct search {
    struct call_graph *graph;
    struct visit *visits;
    uint32_t *first_edge; /* by node, one more than there are */
    uint32_t *targets;    /* of the edges sorted by where they begin */
    uint32_t *open;
    uint32_t open_count, seen;
};

static void sort_edges(struct search *search)
{
    const struct call_graph *graph = search->graph;
    size_t const nodes = graph->nodes.count;
    for (size_t i = 0; i < graph->edges.count; i++)
        search->first_edge[graph->edges.items[i].from + 1]++;
    for (size_t i = 0; i < nodes; i++)
        search->first_edge[i + 1] += search->first_edge[i];
    for (size_t i = 0; i < nodes; i++)
        search->visits[i].next_edge = search->first_edge[i];
    for (size_t i = 0; i < graph->edges.count; i++) {
        const struct graph_edge *edge = &graph->edges.items[i];
        search->targets[search->visits[edge->from].next_edge++] = edge->to;
        if (edge->from == edge->to)
            graph->nodes.items[edge->from].is_recursive = true;
    }
    for (size_t i = 0; i < nodes; i++)
        search->visits[i].next_edge = search->first_edge[i];
}

static void enter(struct search *search, uint32_t node, uint32_t came_from)
{
    struct visit *visit = &search->visits[node];
    visit->order = visit->low = ++search->seen;
    visit->came_from = came_from;
    visit->is_open = true;
    search->open[search->open_count++] = node;
}

/* All that was opened since `node` and is not closed reaches it, and is reached by it. */
static void close_component(struct search *search, uint32_t node)
{
    bool const is_cycle = search->open[search->open_count - 1] != node;
    uint32_t member;
    if (is_cycle)
        search->graph->cycle_count++;
    do {
        member = search->open[--search->open_count];
        search->visits[member].is_open = false;
        if (is_cycle)
            search->graph->nodes.items[member].cycle = search->graph->cycle_count;
    } while (member != node);
}

static void lower(struct visit *visit, uint32_t to)
{
    if (to < visit->low)
        visit->low = to;
}

static void search_from(struct search *search, uint32_t start)
{
    uint32_t at = start;
    enter(search, start, 0);
    for (;;) {
        struct visit *visit = &search->visits[at];
        if (visit->next_edge < search->first_edge[at + 1]) {
            uint32_t const target = search->targets[visit->next_edge++];
            if (!search->visits[target].order) {
                enter(search, target, at + 1);
                at = target;
            } else if (search->visits[target].is_open) {
                lower(visit, search->visits[target].order);
            }
            continue;
        }
        if (visit->low == visit->order)
            close_component(search, at);
        if (!visit->came_from)
            return;
        at = visit->came_from - 1;
        lower(&search->visits[at], visit->low);
    }
}

int call_graph_mark_cycles(struct call_graph *graph)
{
    size_t const nodes = graph->nodes.count;
    struct search search = {.graph = graph};
    search.visits = calloc(nodes + 1, sizeof(search.visits[0]));
    search.first_edge = calloc(nodes + 2, sizeof(uint32_t));
    search.targets = calloc(graph->edges.count + 1, sizeof(uint32_t));
    search.open = calloc(nodes + 1, sizeof(uint32_t));
    int const err =
        search.visits && search.first_edge && search.targets && search.open ? 0 : -ENOMEM;
    graph->cycle_count = 0;
    if (!err)
        sort_edges(&search);
    for (uint32_t i = 0; i < nodes && !err; i++)
        if (!search.visits[i].order)
            search_from(&search, i);
    free(search.visits);
    free(search.first_edge);
    free(search.targets);
    free(search.open);
    return err;
}
