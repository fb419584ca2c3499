/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/call_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "folded_recording.h"
#include "sample_recording.h"

#define MIB 1048576

static const struct graph_rules everything = {.max_nodes = UINT32_MAX, .max_edges = UINT32_MAX};

static struct recording *recording;

static struct call_graph graph_of(const char *metric, const struct graph_rules *rules)
{
    struct weights weights;
    struct call_graph graph;
    CHECK(weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, NULL) == 0);
    CHECK(call_graph_build(recording, &weights, rules, &graph, NULL) == 0);
    weights_fini(&weights);
    return graph;
}

static void add(const char *stack, int64_t value)
{
    folded_add(recording, stack, COL_CPU_NS, value);
    folded_add(recording, stack, COL_CPU_SAMPLES, 1);
}

static uint32_t find(const struct call_graph *graph, const char *function)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (strcmp(recording_text(recording, graph->nodes.items[i].function), function) == 0)
            return i;
    return UINT32_MAX;
}

static struct graph_node node(const struct call_graph *graph, const char *function)
{
    uint32_t const at = find(graph, function);
    if (at == UINT32_MAX)
        fail_msg("no node %s", function);
    return graph->nodes.items[at];
}

static const struct graph_edge *edge(const struct call_graph *graph, const char *from,
                                     const char *to)
{
    uint32_t const begin = find(graph, from), end = find(graph, to);
    for (size_t i = 0; i < graph->edges.count; i++)
        if (graph->edges.items[i].from == begin && graph->edges.items[i].to == end)
            return &graph->edges.items[i];
    return NULL;
}

static int64_t edge_value(const struct call_graph *graph, const char *from, const char *to)
{
    const struct graph_edge *found = edge(graph, from, to);
    return found ? found->value : -1;
}

static struct pattern *pattern_of(const char *text)
{
    struct pattern *pattern;
    CHECK(pattern_compile(text, PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    return pattern;
}

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    recording_destroy(recording);
    return 0;
}

TEST(a_stack_counts_once_for_a_function_and_once_for_a_call)
{
    add("main;walk;walk;walk;read", 10);
    add("main;walk", 5);
    struct call_graph graph = graph_of("cpu.on", &everything);
    CHECK(graph.total_value == 15 && graph.whole == 15 && graph.chosen_value == 15);
    CHECK(node(&graph, "walk").total_value == 15 && node(&graph, "walk").self_value == 5);
    CHECK(node(&graph, "walk").total_count == 2 && node(&graph, "walk").is_recursive);
    CHECK(node(&graph, "read").total_value == 10 && node(&graph, "read").self_value == 10);
    CHECK(edge_value(&graph, "main", "walk") == 15 && edge_value(&graph, "walk", "walk") == 10);
    CHECK(edge_value(&graph, "walk", "read") == 10 && graph.edges.count == 3);
    CHECK(graph.cycle_count == 0); /* calling itself is recursion, a cycle takes two */
    call_graph_fini(&graph);
}

TEST(functions_that_reach_each_other_are_a_cycle)
{
    add("main;a;b;c;a;leaf", 10);
    add("main;x;y;x", 1);
    add("main;solo;solo", 1);
    struct call_graph graph = graph_of("cpu.on", &everything);
    CHECK(graph.cycle_count == 2);
    CHECK(node(&graph, "a").cycle && node(&graph, "a").cycle == node(&graph, "b").cycle);
    CHECK(node(&graph, "a").cycle == node(&graph, "c").cycle &&
          node(&graph, "a").total_value == 10);
    CHECK(node(&graph, "x").cycle && node(&graph, "x").cycle == node(&graph, "y").cycle);
    CHECK(node(&graph, "x").cycle != node(&graph, "a").cycle);
    CHECK(!node(&graph, "main").cycle && !node(&graph, "leaf").cycle &&
          !node(&graph, "solo").cycle);
    CHECK(node(&graph, "solo").is_recursive);
    call_graph_fini(&graph);
}

TEST(same_names_in_two_modules_are_two_nodes)
{
    add("main;/lib/one.so`init", 3);
    add("main;/lib/two.so`init", 4);
    struct call_graph graph = graph_of("cpu.on", &everything);
    CHECK(graph.nodes.count == 3 && graph.edges.count == 2);
    call_graph_fini(&graph);
}

TEST(what_is_small_goes_and_calls_through_it_are_indirect)
{
    add("main;big;tiny;big2", 1000); /* tiny is in it all the same: it stays */
    add("main;rare;big", 4);
    add("main;also;rare2", 3);
    struct graph_rules rules = everything;
    rules.node_share = 0.005;
    struct call_graph graph = graph_of("cpu.on", &rules);
    CHECK(find(&graph, "rare") == UINT32_MAX && find(&graph, "rare2") == UINT32_MAX);
    CHECK(graph.hidden_nodes == 3 && graph.hidden_self == 3);
    CHECK(edge_value(&graph, "main", "big") == 1004 && !edge(&graph, "main", "big")->is_indirect);
    call_graph_fini(&graph);

    struct pattern *path = pattern_of("^(main|big2)$");
    rules.path = path;
    graph = graph_of("cpu.on", &rules);
    CHECK(graph.nodes.count == 2 && graph.edges.count == 1);
    CHECK(edge(&graph, "main", "big2")->is_indirect && edge_value(&graph, "main", "big2") == 1000);
    CHECK(graph.hidden_self == 7 && node(&graph, "main").total_value == 1007);
    call_graph_fini(&graph);
    pattern_destroy(path);
}

TEST(the_heaviest_nodes_stay_and_each_keeps_a_caller)
{
    char stack[64];
    for (int i = 0; i < 500; i++) {
        snprintf(stack, sizeof(stack), "main;f%03d", i);
        add(stack, 1000 - i);
    }
    struct graph_rules rules = everything;
    rules.max_nodes = 300;
    rules.max_edges = 10;
    rules.edge_share = 0.5;
    struct call_graph graph = graph_of("cpu.on", &rules);
    CHECK(graph.nodes.count == 300 && graph.hidden_nodes == 201);
    CHECK(find(&graph, "f298") != UINT32_MAX && find(&graph, "f299") == UINT32_MAX);
    int64_t hidden = 0;
    for (int i = 299; i < 500; i++)
        hidden += 1000 - i;
    CHECK(graph.hidden_self == hidden && graph.edges.count == 299);
    call_graph_fini(&graph);
}

TEST(small_edges_go_when_there_is_a_heavier_way)
{
    add("main;a;shared", 500);
    add("main;b;shared", 1);
    add("main;b", 499);
    struct graph_rules rules = everything;
    rules.edge_share = 0.01;
    struct call_graph graph = graph_of("cpu.on", &rules);
    CHECK(edge(&graph, "a", "shared") && !edge(&graph, "b", "shared"));
    CHECK(graph.hidden_edges == 1 && graph.hidden_edge_most == 1);
    call_graph_fini(&graph);
}

TEST(root_leaf_and_depth_choose_parts_of_stacks)
{
    add("main;serve;parse;read", 10);
    add("main;serve;parse;log;write", 20);
    add("main;init;parse", 40);
    add("idle", 80);
    struct pattern *serve = pattern_of("^serve$"), *parse = pattern_of("^parse$");
    struct graph_rules rules = everything;
    rules.root = serve;
    struct call_graph graph = graph_of("cpu.on", &rules);
    CHECK(graph.chosen_value == 30 && graph.whole == 150 && find(&graph, "main") == UINT32_MAX);
    CHECK(node(&graph, "parse").total_value == 30 && node(&graph, "parse").self_value == 0);
    call_graph_fini(&graph);

    rules.depth = 2;
    graph = graph_of("cpu.on", &rules);
    CHECK(graph.nodes.count == 2 && graph.hidden_nodes == 3 && graph.hidden_self == 30);
    call_graph_fini(&graph);

    rules = everything;
    rules.leaf = parse;
    graph = graph_of("cpu.on", &rules);
    CHECK(graph.chosen_value == 70 && find(&graph, "read") == UINT32_MAX);
    CHECK(node(&graph, "serve").total_value == 30 && node(&graph, "init").total_value == 40);
    CHECK(node(&graph, "parse").total_value == 70 && node(&graph, "parse").self_value == 40);
    call_graph_fini(&graph);

    rules.root = serve;
    graph = graph_of("cpu.on", &rules);
    CHECK(graph.chosen_value == 30 && graph.nodes.count == 2 && graph.edges.count == 1);
    call_graph_fini(&graph);
    pattern_destroy(serve);
    pattern_destroy(parse);
}

TEST(what_shrank_counts_by_its_size)
{
    folded_add(recording, "main;grew", COL_HEAP_BYTES, 300);
    folded_add(recording, "main;shrank", COL_HEAP_FREED, 100);
    folded_add(recording, "", COL_HEAP_BYTES, 7);
    struct call_graph graph = graph_of("heap.live", &everything);
    CHECK(graph.total_value == 207 && graph.whole == 407 && graph.stackless_value == 7);
    CHECK(node(&graph, "main").total_value == 200 && node(&graph, "shrank").total_value == -100);
    CHECK(call_graph_share(&graph, -100) > 0.24 && call_graph_share(&graph, -100) < 0.25);
    call_graph_fini(&graph);
}

TEST(edges_that_cross_too_many_levels_go_lightest_first)
{
    char stack[2048];
    stack[0] = '\0';
    for (int i = 0; i < 100; i++)
        snprintf(stack + strlen(stack), sizeof(stack) - strlen(stack), "%sf%02d", i ? ";" : "", i);
    add(stack, 1000000);
    for (int i = 2; i < 100; i++) { /* from the outermost to each, and back */
        snprintf(stack, sizeof(stack), "f00;f%02d;f00", i);
        add(stack, i);
    }
    struct graph_rules rules = everything;
    struct call_graph graph = graph_of("cpu.on", &rules);
    size_t const all = graph.edges.count;
    CHECK(all == 99 + 98 + 98 && graph.hidden_edges == 0);
    call_graph_fini(&graph);
    rules.max_span = 1000;
    graph = graph_of("cpu.on", &rules);
    CHECK(graph.nodes.count == 100 && graph.edges.count >= 99 && graph.edges.count < all);
    CHECK(graph.hidden_edges == all - graph.edges.count && graph.hidden_edge_most < 100);
    for (int i = 1; i < 100; i++) /* the chain is whole */
        CHECK(graph.edges.items[i - 1].value >= 1000000);
    call_graph_fini(&graph);
}

TEST(an_allocator_has_the_time_it_takes_but_not_the_memory_it_gives)
{
    add("main;parse;malloc", 10);
    folded_add(recording, "main;parse;malloc", COL_HEAP_BYTES, 100);
    struct call_graph graph = graph_of("cpu.on", &everything);
    CHECK(node(&graph, "malloc").self_value == 10 && node(&graph, "parse").self_value == 0);
    call_graph_fini(&graph);
    graph = graph_of("heap.live", &everything);
    CHECK(find(&graph, "malloc") == UINT32_MAX && node(&graph, "parse").self_value == 100);
    call_graph_fini(&graph);
}

TEST(a_change_is_more_and_less_of_the_same)
{
    folded_add(recording, "main;same", COL_HEAP_BYTES, 70);
    folded_add(recording, "main;same", COL_HEAP_FREED, 70);
    folded_add(recording, "main;grown", COL_HEAP_BYTES, 90);
    folded_add(recording, "main;grown", COL_HEAP_FREED, 60);
    struct call_graph graph = graph_of("heap.live", &everything);
    CHECK(graph.whole == 30 && graph.nodes.count == 2 && find(&graph, "same") == UINT32_MAX);
    call_graph_fini(&graph);
}

TEST(nothing_is_an_empty_graph)
{
    struct call_graph graph = graph_of("cpu.on", &everything);
    CHECK(graph.nodes.count == 0 && graph.edges.count == 0 && graph.whole == 0);
    call_graph_fini(&graph);
}

TEST(inlined_functions_and_the_known_sample)
{
    struct sample sample = sample_create();
    struct recording *before = recording;
    recording = sample.recording;
    struct call_graph graph = graph_of("heap.peak", &everything);
    CHECK(node(&graph, "cache_insert").self_value == 10 * MIB);
    CHECK(edge_value(&graph, "store_block", "cache_insert") == 10 * MIB);
    CHECK(node(&graph, "main").total_value == 11538436 && node(&graph, "main").total_count == 14);
    CHECK(edge_value(&graph, "walk", "walk") == MIB && edge_value(&graph, "main", "walk") == MIB);
    CHECK(find(&graph, "malloc") == UINT32_MAX);
    call_graph_fini(&graph);
    sample_destroy(&sample);
    recording = before;
}

/* ---- Against counting stack by stack
 * ------------------------------------------------------------- */

#define LETTERS 6
#define STACKS  200

struct naive {
    int64_t total[LETTERS], self[LETTERS], edge[LETTERS][LETTERS];
};

static void add_random_stack(struct naive *naive)
{
    char stack[64];
    int depth = 1 + rand() % 9, value = 1 + rand() % 1000, path[9];
    bool has[LETTERS] = {0}, calls[LETTERS][LETTERS] = {{0}};
    for (int i = 0; i < depth; i++) {
        path[i] = rand() % LETTERS;
        stack[2 * i] = (char)('a' + path[i]);
        stack[2 * i + 1] = i + 1 < depth ? ';' : '\0';
        has[path[i]] = true;
        if (i > 0)
            calls[path[i - 1]][path[i]] = true;
    }
    for (int a = 0; a < LETTERS; a++) {
        naive->total[a] += has[a] ? value : 0;
        for (int b = 0; b < LETTERS; b++)
            naive->edge[a][b] += calls[a][b] ? value : 0;
    }
    naive->self[path[depth - 1]] += value;
    add(stack, value);
}

static void compare(const struct naive *naive, const struct call_graph *graph)
{
    for (int a = 0; a < LETTERS; a++) {
        char const from[] = {(char)('a' + a), '\0'};
        CHECK(node(graph, from).total_value == naive->total[a]);
        CHECK(node(graph, from).self_value == naive->self[a]);
        for (int b = 0; b < LETTERS; b++) {
            char const to[] = {(char)('a' + b), '\0'};
            CHECK(edge_value(graph, from, to) == (naive->edge[a][b] ? naive->edge[a][b] : -1));
        }
    }
}

TEST(random_stacks_sum_up_as_when_counted_one_by_one)
{
    srand(7);
    for (int round = 0; round < 20; round++) {
        struct naive naive = {0};
        recording_destroy(recording);
        recording = folded_create();
        for (int i = 0; i < STACKS; i++)
            add_random_stack(&naive);
        struct call_graph graph = graph_of("cpu.on", &everything);
        compare(&naive, &graph);
        call_graph_fini(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_counts_once_for_a_function_and_once_for_a_call),
        cmocka_unit_test(functions_that_reach_each_other_are_a_cycle),
        cmocka_unit_test(same_names_in_two_modules_are_two_nodes),
        cmocka_unit_test(what_is_small_goes_and_calls_through_it_are_indirect),
        cmocka_unit_test(the_heaviest_nodes_stay_and_each_keeps_a_caller),
        cmocka_unit_test(small_edges_go_when_there_is_a_heavier_way),
        cmocka_unit_test(root_leaf_and_depth_choose_parts_of_stacks),
        cmocka_unit_test(what_shrank_counts_by_its_size),
        cmocka_unit_test(edges_that_cross_too_many_levels_go_lightest_first),
        cmocka_unit_test(an_allocator_has_the_time_it_takes_but_not_the_memory_it_gives),
        cmocka_unit_test(a_change_is_more_and_less_of_the_same),
        cmocka_unit_test(nothing_is_an_empty_graph),
        cmocka_unit_test(inlined_functions_and_the_known_sample),
        cmocka_unit_test(random_stacks_sum_up_as_when_counted_one_by_one),
    };
    struct CMUnitTest each[sizeof(tests) / sizeof(tests[0])];
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        each[i] = tests[i];
        each[i].setup_func = begin;
        each[i].teardown_func = end;
    }
    return cmocka_run_group_tests(each, NULL, NULL);
}
