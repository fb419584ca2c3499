/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "analyze/trees/call_graph_parts.h"

int graph_ways_init(struct graph_ways *ways, const struct call_graph *graph)
{
    size_t const nodes = graph->nodes.count;
    ways->first = calloc(nodes + 3, sizeof(uint32_t)); /* counted two places on, filled one on */
    ways->targets = calloc(graph->edges.count + 1, sizeof(uint32_t));
    if (!ways->first || !ways->targets) {
        graph_ways_fini(ways);
        return -ENOMEM;
    }
    vec_each (edge, &graph->edges)
        ways->first[edge->from + 2]++;
    for (size_t i = 2; i < nodes + 2; i++)
        ways->first[i] += ways->first[i - 1];
    vec_each (edge, &graph->edges)
        ways->targets[ways->first[edge->from + 1]++] = edge->to;
    return 0;
}

void graph_ways_fini(struct graph_ways *ways)
{
    free(ways->first);
    free(ways->targets);
    *ways = (struct graph_ways){0};
}

enum visit_state { VISIT_NOT_YET, VISIT_INSIDE, VISIT_DONE };

struct descent {
    struct graph_ways ways;
    struct visit {
        enum visit_state state;
        uint32_t next_way, came_from; /* came_from: index + 1 */
        uint32_t place;               /* in the order in which they are done */
        uint64_t level;
    } * visits;
    uint32_t *done; /* nodes, callees before callers */
    uint32_t done_count;
};

static void descend_from(struct descent *descent, uint32_t start)
{
    uint32_t at = start;
    descent->visits[at].state = VISIT_INSIDE;
    descent->visits[at].next_way = descent->ways.first[at];
    for (;;) {
        struct visit *visit = &descent->visits[at];
        if (visit->next_way < descent->ways.first[at + 1]) {
            uint32_t const target = descent->ways.targets[visit->next_way++];
            if (descent->visits[target].state == VISIT_NOT_YET) {
                descent->visits[target] = (struct visit){.state = VISIT_INSIDE,
                                                         .next_way = descent->ways.first[target],
                                                         .came_from = at + 1};
                at = target;
            }
            continue;
        }
        visit->state = VISIT_DONE;
        visit->place = descent->done_count;
        descent->done[descent->done_count++] = at;
        if (!visit->came_from)
            return;
        at = visit->came_from - 1;
    }
}

/* Callers are done after what they call, but for calls back to a caller: those are turned round. */
static uint64_t sum_spans(const struct descent *descent, const struct call_graph *graph)
{
    struct visit *visits = descent->visits;
    uint64_t span = 0;
    for (uint32_t i = descent->done_count; i-- > 0;) {
        uint32_t const node = descent->done[i];
        for (uint32_t way = descent->ways.first[node]; way < descent->ways.first[node + 1]; way++) {
            struct visit *target = &visits[descent->ways.targets[way]];
            if (target->place < i && target->level < visits[node].level + 1)
                target->level = visits[node].level + 1;
        }
    }
    vec_each (edge, &graph->edges) {
        uint64_t const from = visits[edge->from].level, to = visits[edge->to].level;
        span += from > to ? from - to : to - from;
    }
    return span;
}

int graph_span(const struct call_graph *graph, uint64_t *span)
{
    struct descent descent = {.visits = calloc(graph->nodes.count + 1, sizeof(struct visit)),
                              .done = calloc(graph->nodes.count + 1, sizeof(uint32_t))};
    int const err =
        descent.visits && descent.done ? graph_ways_init(&descent.ways, graph) : -ENOMEM;
    for (uint32_t i = 0; i < graph->nodes.count && !err; i++)
        if (descent.visits[i].state == VISIT_NOT_YET)
            descend_from(&descent, i);
    if (!err)
        *span = sum_spans(&descent, graph);
    graph_ways_fini(&descent.ways);
    free(descent.visits);
    free(descent.done);
    return err;
}
