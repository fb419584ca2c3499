/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_graph_parts.h"
#include "base/invariant.h"

static bool is_like(const struct recording *recording, const struct pattern *pattern,
                    string_id name)
{
    return pattern_matches(pattern, slice_of(recording_text(recording, name)));
}

static bool matches(const struct recording *recording, const struct pattern *pattern,
                    const struct call_node *node)
{
    return !pattern || is_like(recording, pattern, node->function) ||
           is_like(recording, pattern, node->module) ||
           (node->file != STRING_EMPTY && is_like(recording, pattern, node->file));
}

static int add_function(struct graph_builder *builder, const struct call_node *node)
{
    const struct graph_rules *rules = builder->rules;
    struct graph_function const function = {
        .node = {.function = node->function,
                 .module = node->module,
                 .file = node->file,
                 .line = node->line},
        .is_root = matches(builder->recording, rules->root, node),
        .is_leaf = matches(builder->recording, rules->leaf, node),
        .is_on_path = matches(builder->recording, rules->path, node),
        .level = UINT32_MAX,
        .shown = GRAPH_NONE,
    };
    return vec_push(&builder->functions, function) ? 0 : -ENOMEM;
}

static int find_function(struct graph_builder *builder, uint32_t *function_of_kind,
                         const struct call_node *node, uint32_t *index)
{
    INVARIANT(node->kind <= builder->tree.kind_count);
    uint32_t *known = &function_of_kind[node->kind]; /* + 1 */
    *index = *known ? *known - 1 : (uint32_t)builder->functions.count;
    INVARIANT(*index <= builder->functions.count);
    if (!*known) {
        *known = *index + 1;
        return add_function(builder, node);
    }
    struct graph_node *function = &builder->functions.items[*index].node;
    if (function->file != node->file || function->line != node->line)
        function->line = 0; /* several places of one function */
    if (function->file != node->file)
        function->file = STRING_EMPTY;
    return 0;
}

static int group_nodes(struct graph_builder *builder)
{
    size_t const count = builder->tree.nodes.count;
    uint32_t *function_of_kind = calloc((size_t)builder->tree.kind_count + 1, sizeof(uint32_t));
    builder->steps = calloc(count, sizeof(builder->steps[0]));
    int err = function_of_kind && builder->steps ? 0 : -ENOMEM;
    for (uint32_t i = 1; i < count && !err; i++)
        err = find_function(builder, function_of_kind, &builder->tree.nodes.items[i],
                            &builder->steps[i].function);
    free(function_of_kind);
    return err;
}

static int sum_functions(struct graph_builder *builder)
{
    size_t const nodes = builder->tree.nodes.count, functions = builder->functions.count;
    uint32_t *keys = calloc(nodes, sizeof(*keys));
    struct graph_sum *sums = calloc(functions + 1, sizeof(*sums));
    int err = keys && sums ? 0 : -ENOMEM;
    for (size_t i = 1; i < nodes && !err; i++)
        keys[i] = builder->steps[i].is_there ? builder->steps[i].function : GRAPH_NONE;
    if (!err)
        err = graph_sum_paths(builder, keys, functions, sums);
    for (size_t i = 0; i < functions && !err; i++) {
        builder->functions.items[i].node.total_value = sums[i].value;
        builder->functions.items[i].node.total_count = sums[i].count;
    }
    free(keys);
    free(sums);
    return err;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Falling by size; by name where equal, so that the same recording always looks the same. */
static int compare_functions(const void *left, const void *right, void *context)
{
    const struct graph_builder *builder = context;
    const struct graph_node *a = &builder->functions.items[*(const uint32_t *)left].node;
    const struct graph_node *b = &builder->functions.items[*(const uint32_t *)right].node;
    if (magnitude(a->total_value) != magnitude(b->total_value))
        return magnitude(a->total_value) > magnitude(b->total_value) ? -1 : 1;
    if (magnitude(a->self_value) != magnitude(b->self_value))
        return magnitude(a->self_value) > magnitude(b->self_value) ? -1 : 1;
    int order = strcmp(recording_text(builder->recording, a->function),
                       recording_text(builder->recording, b->function));
    if (!order)
        order = strcmp(recording_text(builder->recording, a->module),
                       recording_text(builder->recording, b->module));
    return order ? order : a->line < b->line ? -1 : a->line > b->line;
}

static bool is_wanted(const struct graph_builder *builder, const struct graph_function *function)
{
    const struct graph_rules *rules = builder->rules;
    bool const is_nothing = !function->node.total_value && !function->node.total_count;
    return function->is_on_path && !is_nothing &&
           (!rules->depth || function->level <= rules->depth) &&
           call_graph_share(builder->graph, function->node.total_value) >= rules->node_share &&
           builder->graph->nodes.count < rules->max_nodes;
}

static int choose_nodes(struct graph_builder *builder)
{
    struct call_graph *graph = builder->graph;
    size_t const count = builder->functions.count;
    uint32_t *order = calloc(count + 1, sizeof(*order));
    int err = order ? 0 : -ENOMEM;
    for (uint32_t i = 0; i < count && !err; i++)
        order[i] = i;
    if (!err)
        qsort_r(order, count, sizeof(*order), compare_functions, builder);
    for (size_t i = 0; i < count && !err; i++) {
        struct graph_function *function = &builder->functions.items[order[i]];
        if (!function->is_there)
            continue;
        if (!is_wanted(builder, function)) {
            graph->hidden_nodes++;
            graph->hidden_self += function->node.self_value;
            continue;
        }
        function->shown = (uint32_t)graph->nodes.count;
        INVARIANT(function->shown < builder->rules->max_nodes);
        err = vec_push(&graph->nodes, function->node) ? 0 : -ENOMEM;
    }
    free(order);
    return err;
}

/* By what each way through the functions has on the whole, so that a change can be given as more
 * and less of the same. */
static void sum_whole(struct graph_builder *builder, const struct weights *weights)
{
    INVARIANT(builder->tree.nodes.count > 0);
    struct call_graph *graph = builder->graph;
    uint64_t sizes = 0;
    vec_each (node, &builder->tree.nodes)
        sizes += magnitude(node->self_value);
    graph->whole = sizes > INT64_MAX ? INT64_MAX : (int64_t)sizes;
    graph->total_value = weights->total_value;
    graph->total_count = weights->total_count;
    graph->stackless_value = builder->tree.nodes.items[0].self_value;
}

double call_graph_share(const struct call_graph *graph, int64_t value)
{
    return graph->whole ? (double)magnitude(value) / (double)graph->whole : 0;
}

static int build(struct graph_builder *builder, const struct weights *weights)
{
    int err =
        call_tree_build(builder->recording, weights, false, builder->rules->merge, &builder->tree);
    if (err)
        return err;
    sum_whole(builder, weights);
    err = group_nodes(builder);
    if (!err) {
        graph_cut(builder);
        err = sum_functions(builder);
    }
    if (!err)
        err = choose_nodes(builder);
    if (!err)
        err = graph_find_edges(builder);
    if (!err)
        err = call_graph_mark_cycles(builder->graph);
    if (!err)
        err = graph_prune_edges(builder->rules, builder->graph);
    return err;
}

static int check_rules(const struct graph_rules *rules, struct fault *fault)
{
    int err = rules->root ? pattern_check(rules->root, fault) : 0;
    if (!err && rules->leaf)
        err = pattern_check(rules->leaf, fault);
    if (!err && rules->path)
        err = pattern_check(rules->path, fault);
    return err;
}

int call_graph_build(struct recording *recording, const struct weights *weights,
                     const struct graph_rules *rules, struct call_graph *graph, struct fault *fault)
{
    struct graph_builder builder = {.recording = recording, .rules = rules, .graph = graph};
    memset(graph, 0, sizeof(*graph));
    int err = build(&builder, weights);
    err = err ? fault_set(fault, err, "out of memory while adding up the calls")
              : check_rules(rules, fault);
    call_tree_fini(&builder.tree);
    vec_free(&builder.functions);
    free(builder.steps);
    if (err)
        call_graph_fini(graph);
    return err;
}

void call_graph_fini(struct call_graph *graph)
{
    vec_free(&graph->nodes);
    vec_free(&graph->edges);
    memset(graph, 0, sizeof(*graph));
}
