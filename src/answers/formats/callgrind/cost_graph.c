/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/callgrind/cost_graph.h"

#include <errno.h>

static uint64_t pair(uint32_t left, uint32_t right)
{
    return ((uint64_t)left << 32 | right) + 1;
}

/* The number of a pair in a map, from 1 on; *is_new when it has just got it.  0: out of memory. */
static uint32_t number_of(struct number_map *map, uint32_t left, uint32_t right, uint32_t next,
                          bool *is_new)
{
    uint32_t *known = number_map_at(map, pair(left, right));
    if (!known)
        return 0;
    *is_new = *known == 0;
    if (*is_new)
        *known = next;
    return *known;
}

int cost_graph_function(struct cost_graph *graph, const struct shown_frame *frame, uint32_t *index)
{
    bool is_new;
    uint32_t const next = (uint32_t)graph->functions.count + 1;
    uint32_t const part = number_of(&graph->function_parts, frame->function, frame->module,
                                    (uint32_t)graph->function_parts.count + 1, &is_new);
    uint32_t const number =
        part ? number_of(&graph->function_ids, part, frame->file, next, &is_new) : 0;
    if (!number)
        return -ENOMEM;
    *index = number - 1;
    if (!is_new)
        return 0;
    struct cost_function const function = {
        .name = frame->function, .module = frame->module, .file = frame->file};
    return vec_push(&graph->functions, function) && vec_push(&graph->seen, 0) ? 0 : -ENOMEM;
}

int cost_graph_self(struct cost_graph *graph, uint32_t function, uint32_t line, unsigned event,
                    uint64_t cost)
{
    bool is_new;
    uint32_t const number =
        number_of(&graph->line_ids, function, line, (uint32_t)graph->lines.count + 1, &is_new);
    if (!number || (is_new && !vec_push(&graph->lines, (struct cost_line){function, line, {0}})))
        return -ENOMEM;
    graph->lines.items[number - 1].costs[event] += cost;
    return 0;
}

int cost_graph_call(struct cost_graph *graph, struct cost_call call, unsigned event, uint64_t cost)
{
    bool is_new;
    uint32_t const part = number_of(&graph->call_parts, call.caller, call.callee,
                                    (uint32_t)graph->call_parts.count + 1, &is_new);
    uint32_t const number = part ? number_of(&graph->call_ids, part, call.line,
                                             (uint32_t)graph->calls.count + 1, &is_new)
                                 : 0;
    if (!number || (is_new && !vec_push(&graph->calls, call)))
        return -ENOMEM;
    graph->calls.items[number - 1].costs[event] += cost;
    return 0;
}

/* A stack without frames is a function of its own. */
static int add_stackless(struct cost_graph *graph, unsigned event, uint64_t cost)
{
    struct shown_frame const frame = {.function = recording_intern(graph->recording, "[no stack]")};
    uint32_t function;
    if (cost_graph_function(graph, &frame, &function) < 0)
        return -ENOMEM;
    return cost_graph_self(graph, function, 0, event, cost);
}

/* The call of `function`, by `caller` and from `line` of it, unless it was called further out
 * already. */
static int add_step(struct cost_graph *graph, struct cost_call call, unsigned event, uint64_t cost)
{
    struct cost_function *callee = &graph->functions.items[call.callee];
    if (graph->seen.items[call.callee] == graph->stacks) {
        callee->recurs_at_root |= call.callee == graph->outermost;
        return 0;
    }
    callee->is_called = true;
    return cost_graph_call(graph, call, event, cost);
}

int cost_graph_add(struct cost_graph *graph, stack_id stack, const struct metric *metric,
                   unsigned event, uint64_t cost)
{
    uint32_t function = 0;
    if (shown_stack_fill(&graph->shown, graph->recording, metric, stack) < 0)
        return -ENOMEM;
    graph->totals[event] += cost;
    graph->stacks++;
    size_t const count = graph->shown.frames.count;
    if (count == 0)
        return add_stackless(graph, event, cost);
    for (size_t i = count; i-- > 0;) {
        uint32_t const caller = function;
        if (cost_graph_function(graph, &graph->shown.frames.items[i], &function) < 0)
            return -ENOMEM;
        if (i + 1 == count) {
            graph->outermost = function;
            graph->functions.items[function].root_costs[event] += cost;
        } else if (add_step(graph,
                            (struct cost_call){
                                caller, function, graph->shown.frames.items[i + 1].line, {0}},
                            event, cost) < 0) {
            return -ENOMEM;
        }
        graph->seen.items[function] = graph->stacks;
    }
    return cost_graph_self(graph, function, graph->shown.frames.items[0].line, event, cost);
}

static int by_line(const void *left, const void *right)
{
    const struct cost_line *a = left, *b = right;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int by_call(const void *left, const void *right)
{
    const struct cost_call *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->callee != b->callee)
        return a->callee < b->callee ? -1 : 1;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* Where a function that others call too is the outermost, somebody must be said to call it. */
static int add_roots(struct cost_graph *graph)
{
    struct shown_frame const frame = {.function =
                                          recording_intern(graph->recording, COST_ROOT_NAME)};
    size_t const count = graph->functions.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t root;
        if (!graph->functions.items[i].is_called && !graph->functions.items[i].recurs_at_root)
            continue;
        for (unsigned event = 0; event < COST_EVENTS_MAX; event++) {
            uint64_t const cost = graph->functions.items[i].root_costs[event];
            if (cost &&
                (cost_graph_function(graph, &frame, &root) < 0 ||
                 cost_graph_call(graph, (struct cost_call){root, i, 0, {0}}, event, cost) < 0))
                return -ENOMEM;
        }
    }
    return 0;
}

int cost_graph_finish(struct cost_graph *graph)
{
    int const err = add_roots(graph);
    if (graph->lines.count > 1)
        qsort(graph->lines.items, graph->lines.count, sizeof(graph->lines.items[0]), by_line);
    if (graph->calls.count > 1)
        qsort(graph->calls.items, graph->calls.count, sizeof(graph->calls.items[0]), by_call);
    return err;
}

void cost_graph_fini(struct cost_graph *graph)
{
    vec_free(&graph->functions);
    vec_free(&graph->lines);
    vec_free(&graph->calls);
    vec_free(&graph->seen);
    vec_free(&graph->shown.frames);
    number_map_fini(&graph->function_parts);
    number_map_fini(&graph->function_ids);
    number_map_fini(&graph->line_ids);
    number_map_fini(&graph->call_parts);
    number_map_fini(&graph->call_ids);
}
