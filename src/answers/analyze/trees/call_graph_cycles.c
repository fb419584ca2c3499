/* SPDX-License-Identifier: Apache-2.0 */
/* call_graph_cycles.c - finds functions that call each other in a circle: Tarjan's strongly
 * connected components, without recursion, because graphs come from files. */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/call_graph_parts.h"

struct call_visit {
    uint32_t order, low; /* order 0: not seen yet */
    uint32_t next_way;   /* the next one to follow */
    uint32_t came_from;  /* index + 1 of the node that led here; 0 for the first */
    bool is_open;        /* on the stack of those whose component is not known yet */
};

struct call_search {
    struct call_graph *graph;
    struct call_visit *visits;
    struct graph_ways ways;
    uint32_t *open;
    uint32_t open_count, seen;
};

static void enter(struct call_search *search, uint32_t node, uint32_t came_from)
{
    struct call_visit *visit = &search->visits[node];
    visit->order = visit->low = ++search->seen;
    visit->came_from = came_from;
    visit->next_way = search->ways.first[node];
    visit->is_open = true;
    search->open[search->open_count++] = node;
}

/* All that was opened since `node` and is not closed reaches it, and is reached by it. */
static void close_component(struct call_search *search, uint32_t node)
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

static void lower(struct call_visit *visit, uint32_t to)
{
    if (to < visit->low)
        visit->low = to;
}

static void search_from(struct call_search *search, uint32_t start)
{
    uint32_t at = start;
    enter(search, start, 0);
    for (;;) {
        struct call_visit *visit = &search->visits[at];
        if (visit->next_way < search->ways.first[at + 1]) {
            uint32_t const target = search->ways.targets[visit->next_way++];
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
    struct call_search search = {.graph = graph};
    search.visits = calloc(nodes + 1, sizeof(search.visits[0]));
    search.open = calloc(nodes + 1, sizeof(uint32_t));
    int err = search.visits && search.open ? graph_ways_init(&search.ways, graph) : -ENOMEM;
    graph->cycle_count = 0;
    for (uint32_t i = 0; i < nodes && !err; i++)
        if (!search.visits[i].order)
            search_from(&search, i);
    vec_each (edge, &graph->edges)
        graph->nodes.items[edge->from].is_recursive |= edge->from == edge->to;
    graph_ways_fini(&search.ways);
    free(search.visits);
    free(search.open);
    return err;
}
