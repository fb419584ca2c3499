/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/trees/sandwich.h"

#include <string.h>

#include "analyze/sites/rank.h"
#include "check.h"
#include "sample_recording.h"

#define MIB 1048576

static struct sample sample;
static struct weights weights;
static struct rank rank;
static struct call_tree tree;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    int err = weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &weights, NULL);
    if (!err)
        err = rank_build(sample.recording, &weights, BY_FUNCTION, &rank);
    return err ? err : call_tree_build(sample.recording, &weights, false, MERGE_FUNCTION, &tree);
}

static int end(void **state)
{
    (void)state;
    rank_fini(&rank);
    call_tree_fini(&tree);
    weights_fini(&weights);
    sample_destroy(&sample);
    return 0;
}

static const char *text(string_id id)
{
    return recording_text(sample.recording, id);
}

static struct sandwich sandwich_of(const char *function)
{
    struct sandwich sandwich;
    vec_each (row, &rank.rows) {
        if (strcmp(text(row->function), function) != 0)
            continue;
        CHECK(sandwich_build(sample.recording, &tree, row->function, row->module, &sandwich) == 0);
        return sandwich;
    }
    fail_msg("no row %s", function);
    return (struct sandwich){0};
}

/* What the children of the root have, and it itself. */
static int64_t sum_of(const struct call_tree *of)
{
    const struct call_node *root = &of->nodes.items[0];
    int64_t sum = root->self_value;
    for (uint32_t at = root->first_child; at; at = of->nodes.items[at].next_sibling)
        sum += of->nodes.items[at].value;
    return sum;
}

TEST(every_function_has_its_total_both_ways)
{
    vec_each (row, &rank.rows) {
        struct sandwich sandwich;
        CHECK(sandwich_build(sample.recording, &tree, row->function, row->module, &sandwich) == 0);
        CHECK(sandwich.callers.nodes.items[0].value == row->total_value);
        CHECK(sandwich.callees.nodes.items[0].value == row->total_value);
        CHECK(sandwich.callees.nodes.items[0].count == row->total_count);
        CHECK(sum_of(&sandwich.callers) == row->total_value);
        CHECK(sum_of(&sandwich.callees) == row->total_value);
        sandwich_fini(&sandwich);
    }
}

TEST(who_calls_it_and_whom_it_calls)
{
    struct sandwich sandwich = sandwich_of("store_block");
    const struct call_node *callers = sandwich.callers.nodes.items;
    const struct call_node *callees = sandwich.callees.nodes.items;
    assert_string_equal(text(callers[0].function), "store_block");
    assert_string_equal(text(callers[callers[0].first_child].function), "handle");
    assert_string_equal(text(callees[callees[0].first_child].function), "cache_insert");
    CHECK(callees[callees[0].first_child].self_value == 10 * MIB);
    CHECK(sandwich.again_value == 0);
    sandwich_fini(&sandwich);
}

TEST(recursion_counts_once)
{
    struct sandwich sandwich = sandwich_of("walk");
    const struct call_node *callers = sandwich.callers.nodes.items;
    const struct call_node *callees = sandwich.callees.nodes.items;
    assert_string_equal(text(callers[callers[0].first_child].function), "main");
    assert_string_equal(text(callees[callees[0].first_child].function), "walk");
    CHECK(callers[0].value == MIB && callees[0].value == MIB && sandwich.again_value == MIB);
    sandwich_fini(&sandwich);
}

TEST(a_function_that_nobody_calls)
{
    struct sandwich sandwich = sandwich_of("_start");
    CHECK(sandwich.callers.nodes.count == 1);
    CHECK(sandwich.callers.nodes.items[0].self_value == sandwich.callees.nodes.items[0].value);
    sandwich_fini(&sandwich);
    CHECK(sandwich_build(sample.recording, &tree, STRING_EMPTY, STRING_EMPTY, &sandwich) == 0);
    CHECK(sandwich.callers.nodes.count == 1 && sandwich.callers.nodes.items[0].value == 0);
    sandwich_fini(&sandwich);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_function_has_its_total_both_ways, begin, end),
        cmocka_unit_test_setup_teardown(who_calls_it_and_whom_it_calls, begin, end),
        cmocka_unit_test_setup_teardown(recursion_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(a_function_that_nobody_calls, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
