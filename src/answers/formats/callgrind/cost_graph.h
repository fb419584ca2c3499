/* cost_graph.h - the graph that callgrind.out describes: the own cost of each function, and the
 * cost of each call of one function by another, for several events.
 *
 * A stack counts once for every function in it, even if the function is in the stack several times:
 * programs that read such files add the costs of all calls of a function to get its inclusive cost,
 * so only the outermost call of each function is counted.  A function that is called in some stacks
 * and is outermost in others, or calls itself where it is outermost, has the caller COST_ROOT_NAME
 * where it is outermost; otherwise the inclusive cost would lack that part. */
#pragma once

#include "base/number_map.h"
#include "formats/shared/shown_stack.h"

#define COST_EVENTS_MAX 10u

#define COST_ROOT_NAME "[stacks begin here]"

struct cost_function {
    string_id name, module, file;
    bool is_called, recurs_at_root;
    uint64_t root_costs[COST_EVENTS_MAX]; /* costs of stacks in which it is outermost */
};

/* A line of a function, with its own cost. */
struct cost_line {
    uint32_t function, line;
    uint64_t costs[COST_EVENTS_MAX];
};

struct cost_call {
    uint32_t caller, callee, line; /* line in the caller */
    uint64_t costs[COST_EVENTS_MAX];
};

struct cost_graph {
    struct recording *recording;
    VEC(struct cost_function) functions;
    /* sorted by function and line after cost_graph_finish, as are calls */
    VEC(struct cost_line) lines;
    VEC(struct cost_call) calls;
    uint64_t totals[COST_EVENTS_MAX];

    /* internal: */
    struct number_map function_parts, function_ids, line_ids, call_parts, call_ids;
    VEC(uint32_t) seen; /* by function: the last stack with this function */
    /* number of stacks so far; outermost function of the current stack */
    uint32_t stacks, outermost;
    struct shown_stack shown;
};

/* Adds the cost of one stack for one event with this metric.  Returns 0 or -ENOMEM. */
int cost_graph_add(struct cost_graph *graph, stack_id stack, const struct metric *metric,
                   unsigned event, uint64_t cost);
/* The steps of cost_graph_add, for callers that have a graph already.  The line of a frame, and
 * whether it is inlined, do not matter. */
int cost_graph_function(struct cost_graph *graph, const struct shown_frame *frame, uint32_t *index);
int cost_graph_self(struct cost_graph *graph, uint32_t function, uint32_t line, unsigned event,
                    uint64_t cost);
int cost_graph_call(struct cost_graph *graph, struct cost_call call, unsigned event, uint64_t cost);

/* Call it after everything was added: sorts lines and calls.  Returns 0 or -ENOMEM. */
int cost_graph_finish(struct cost_graph *graph);
void cost_graph_fini(struct cost_graph *graph);
