/* cost_graph.h - functions, what they cost themselves and what each call of one by another
 * costs, for several events at once: what callgrind.out is made of.
 *
 * A stack counts once for every function in it, however often it is there: programs that read
 * such files take the costs of all calls of a function together for its inclusive cost, so of
 * each function only the outermost call is booked. A function that is called in some stacks and
 * begins others, or calls itself at the beginning, is called by COST_ROOT_NAME where it begins:
 * else they would miss that part. */
#pragma once

#include "base/number_map.h"
#include "formats/shared/shown_stack.h"

#define COST_EVENTS_MAX 10u

#define COST_ROOT_NAME "[stacks begin here]"

struct cost_function {
    string_id name, module, file;
    bool is_called, recurs_at_root;
    uint64_t root_costs[COST_EVENTS_MAX]; /* of stacks that begin with it */
};

/* A line of a function: its own cost there. */
struct cost_line {
    uint32_t function, line;
    uint64_t costs[COST_EVENTS_MAX];
};

struct cost_call {
    uint32_t caller, callee, line; /* of the caller */
    uint64_t costs[COST_EVENTS_MAX];
};

struct cost_graph {
    struct recording *recording;
    VEC(struct cost_function) functions;
    VEC(struct cost_line) lines; /* by function and line, once finished; so are calls */
    VEC(struct cost_call) calls;
    uint64_t totals[COST_EVENTS_MAX];

    /* inside */
    struct number_map function_parts, function_ids, line_ids, call_parts, call_ids;
    VEC(uint32_t) seen;         /* by function: the stack it was last seen in */
    uint32_t stacks, outermost; /* how many so far; of the one at hand */
    struct shown_stack shown;
};

/* Adds the cost of one stack for one event, whose metric is given.  Returns 0 or -ENOMEM. */
int cost_graph_add(struct cost_graph *graph, stack_id stack, const struct metric *metric,
                   unsigned event, uint64_t cost);
/* The parts of that, for callers that have a graph already.  A frame's line and inlining do not
 * count. */
int cost_graph_function(struct cost_graph *graph, const struct shown_frame *frame, uint32_t *index);
int cost_graph_self(struct cost_graph *graph, uint32_t function, uint32_t line, unsigned event,
                    uint64_t cost);
int cost_graph_call(struct cost_graph *graph, struct cost_call call, unsigned event, uint64_t cost);

/* Once all is added: puts lines and calls in order.  Returns 0 or -ENOMEM. */
int cost_graph_finish(struct cost_graph *graph);
void cost_graph_fini(struct cost_graph *graph);
