/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/line_costs.h"

#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define MIB 1048576

static struct sample sample;
static struct weights weights;
static struct line_costs costs;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    if (weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &weights, NULL) < 0)
        return -1;
    return line_costs_build(sample.recording, &weights, &costs);
}

static int end(void **state)
{
    (void)state;
    line_costs_fini(&costs);
    weights_fini(&weights);
    sample_destroy(&sample);
    return 0;
}

static struct file_cost file(const char *name)
{
    const struct file_cost *found = line_costs_find(sample.recording, &costs, name);
    if (!found)
        fail_msg("no file %s", name);
    return *found;
}

static const char *text(string_id id)
{
    return recording_text(sample.recording, id);
}

TEST(files_have_self_and_total)
{
    CHECK(file("cache.c").sum.self_value == 10 * MIB && file("cache.c").sum.self_count == 10);
    CHECK(file("store.c").sum.self_value == 0 && file("store.c").sum.total_value == 10 * MIB);
    CHECK(file("node.c").sum.total_value == 11538436 && file("node.c").sum.self_value == 0);
    assert_string_equal(text(costs.files.items[0].file), "cache.c");
    CHECK(line_costs_find(sample.recording, &costs, "cache") == NULL);
}

TEST(recursion_counts_once)
{
    struct file_cost const tree = file("tree.c");
    CHECK(tree.sum.total_value == MIB && tree.sum.self_value == MIB && tree.line_count == 1);
    CHECK(costs.lines.items[tree.first_line].sum.total_value == MIB);
    CHECK(costs.lines.items[tree.first_line].line == 21);
    assert_string_equal(text(costs.lines.items[tree.first_line].function), "walk");
}

TEST(lines_are_in_order_and_add_up)
{
    int64_t placed = 0;
    vec_each (one, &costs.files) {
        int64_t self = 0;
        for (uint32_t i = 0; i < one->line_count; i++) {
            const struct line_cost *line = &costs.lines.items[one->first_line + i];
            CHECK(i == 0 || line[-1].line < line->line);
            CHECK(line->functions >= 1);
            self += line->sum.self_value;
        }
        CHECK(self == one->sum.self_value);
        placed += self;
    }
    CHECK(placed == costs.placed_value);
    CHECK(placed == weights.total_value - 4000); /* the plugin has no file */
}

TEST(a_function_leads_to_its_file)
{
    CHECK(line_costs_of_function(sample.recording, &costs, "cache_insert")->file ==
          file("cache.c").file);
    CHECK(line_costs_of_function(sample.recording, &costs, "main")->file == file("node.c").file);
    CHECK(line_costs_of_function(sample.recording, &costs, "nobody") == NULL);
    CHECK(line_costs_of_function(sample.recording, &costs, "_start") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_self_and_total),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(lines_are_in_order_and_add_up),
        cmocka_unit_test(a_function_leads_to_its_file),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
