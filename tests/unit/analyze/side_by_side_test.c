/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/side_by_side.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "folded_recording.h"

#define SEC 1000000000

static struct recording *recording;
static struct side_by_side sides;
static struct side_question question;

static int begin(void **state)
{
    (void)state;
    recording = folded_create();
    folded_add(recording, "main;parse;read", COL_CPU_NS, 2 * SEC);
    folded_add(recording, "main;parse;read", COL_CPU_SAMPLES, 200);
    folded_add(recording, "main;parse;malloc", COL_CPU_NS, SEC);
    folded_add(recording, "main;idle", COL_CPU_NS, SEC);
    folded_add(recording, "main;parse;malloc", COL_HEAP_BYTES, 6000);
    folded_add(recording, "main;parse;malloc", COL_HEAP_CALLS, 60);
    folded_add(recording, "main;init;malloc", COL_HEAP_BYTES, 9000);
    folded_add(recording, "main;init;malloc", COL_HEAP_CALLS, 3);
    question =
        (struct side_question){.metrics = {metric_find("cpu.on"), metric_find("heap.allocated"),
                                           metric_find("heap.calls")},
                               .count = 3,
                               .range = TIME_ALL,
                               .by = BY_FUNCTION};
    return 0;
}

static int end(void **state)
{
    (void)state;
    side_by_side_fini(&sides);
    recording_destroy(recording);
    return 0;
}

static struct side_row row(const char *function)
{
    for (size_t i = 0; i < sides.rows.count; i++)
        if (strcmp(recording_text(recording, sides.rows.items[i].function), function) == 0)
            return sides.rows.items[i];
    fail_msg("no row %s", function);
    return (struct side_row){0};
}

static uint32_t child(uint32_t parent, const char *function)
{
    for (uint32_t i = sides.tree.items[parent].first_child; i; i = sides.tree.items[i].next_sibling)
        if (strcmp(recording_text(recording, sides.tree.items[i].function), function) == 0)
            return i;
    return 0;
}

TEST(each_function_has_one_row_with_all_metrics)
{
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    CHECK(sides.rows.count == 6); /* main parse read malloc idle init */
    CHECK(row("parse").values[0].total_value == 3LL * SEC &&
          row("parse").values[0].self_value == 0);
    CHECK(row("parse").values[1].self_value == 6000 && row("parse").values[1].total_value == 6000);
    CHECK(row("main").values[1].total_value == 15000 && row("main").values[2].total_value == 63);
    CHECK(row("malloc").values[0].self_value == SEC && row("malloc").values[1].total_value == 0);
    CHECK(row("init").values[0].total_value == 0 && row("init").values[1].self_value == 9000);
    CHECK(sides.columns[0].value == 4LL * SEC && sides.columns[1].value == 15000);
    CHECK(sides.columns[0].whole_count == 200);
}

TEST(the_first_metric_orders_unless_another_does)
{
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    CHECK(strcmp(recording_text(recording, sides.rows.items[0].function), "read") == 0);
    side_by_side_fini(&sides);
    question.sort = 1;
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    CHECK(strcmp(recording_text(recording, sides.rows.items[0].function), "init") == 0);
}

TEST(the_tree_has_all_metrics_too)
{
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    uint32_t const main_ = child(0, "main"), parse = child(main_, "parse");
    CHECK(main_ && parse && child(parse, "read") && child(parse, "malloc"));
    CHECK(sides.tree.items[main_].first_child == parse); /* heaviest first */
    CHECK(sides.tree.items[parse].values[0].total_value == 3LL * SEC);
    CHECK(sides.tree.items[parse].values[1].total_value == 6000);
    CHECK(sides.tree.items[parse].values[1].self_value == 6000);
    CHECK(sides.tree.items[0].values[1].total_value == 15000);
}

TEST(a_filter_cuts_all_of_them)
{
    struct pattern *pattern;
    CHECK(pattern_compile("^parse$", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    question.filter = pattern;
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    CHECK(sides.columns[0].value == 3LL * SEC && sides.columns[0].whole_value == 4LL * SEC);
    CHECK(sides.columns[1].value == 6000 && sides.columns[1].whole_value == 15000);
    pattern_destroy(pattern);
}

TEST(ratios_divide_by_time_then_by_calls_then_by_the_first)
{
    CHECK(side_by_side_build(recording, &question, &sides, NULL) == 0);
    struct side_ratio const rate = side_ratio_of(&question, 0), size = side_ratio_of(&question, 1);
    CHECK(rate.kind == SIDE_PER_SECOND && rate.above == 1 && rate.below == 0);
    CHECK(strcmp(rate.unit, "bytes/s") == 0 && strcmp(size.unit, "bytes/call") == 0);
    CHECK(size.kind == SIDE_EACH && size.above == 1 && size.below == 2);
    CHECK(side_ratio_value(&rate, row("parse").values) == 2000);
    CHECK(side_ratio_value(&size, row("init").values) == 3000);
    CHECK(isnan(side_ratio_value(&rate, row("init").values)));
    struct side_question const turned = {
        .metrics = {metric_find("heap.calls"), metric_find("cpu.on"), metric_find("cpu.off")},
        .count = 3};
    CHECK(side_ratio_of(&turned, 0).above == 0 && side_ratio_of(&turned, 0).below == 1);
    CHECK(strcmp(side_ratio_of(&turned, 0).unit, "calls/s") == 0);
    CHECK(side_ratio_of(&turned, 1).kind == SIDE_TIMES && side_ratio_of(&turned, 1).above == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_function_has_one_row_with_all_metrics, begin, end),
        cmocka_unit_test_setup_teardown(the_first_metric_orders_unless_another_does, begin, end),
        cmocka_unit_test_setup_teardown(the_tree_has_all_metrics_too, begin, end),
        cmocka_unit_test_setup_teardown(a_filter_cuts_all_of_them, begin, end),
        cmocka_unit_test_setup_teardown(ratios_divide_by_time_then_by_calls_then_by_the_first,
                                        begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
