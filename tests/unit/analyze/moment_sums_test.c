/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/moment_sums.h"

#include <errno.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "check.h"
#include "timed_recording.h"

#define MS  INT64_C(1000000)
#define SEC UINT64_C(1000000000)

static struct timed timed;

static int begin(void **state)
{
    (void)state;
    timed = timed_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    timed_destroy(&timed);
    return 0;
}

static struct weights weigh(const char *metric, uint64_t from_ms, uint64_t to_ms)
{
    struct weights weights;
    struct time_range const range = {from_ms * MS, to_ms * MS};
    CHECK(weigh_stacks(timed.recording, metric_find(metric), range, &weights, NULL) == 0);
    return weights;
}

static int64_t value_of(const struct weights *weights, uint32_t key)
{
    vec_each (row, &weights->rows)
        if (row->key == key)
            return row->value;
    return 0;
}

TEST(a_stretch_inside_a_bucket_is_cut_by_moments)
{
    struct weights weights = weigh("cpu.on", 1100, 1150);
    CHECK(weights.total_value == 100 * MS && weights.total_count == 10);
    CHECK(value_of(&weights, timed.stacks[TIMED_HASH]) == 50 * MS);
    CHECK(weights.used.from_ns == 1100 * MS && weights.used.to_ns == 1150 * MS);
    weights_fini(&weights);
}

TEST(whole_buckets_between_two_cut_ones_count_whole)
{
    struct weights weights = weigh("cpu.on", 990, 2010);
    CHECK(value_of(&weights, timed.stacks[TIMED_GRIND]) == 1020 * MS);
    CHECK(value_of(&weights, timed.stacks[TIMED_HASH]) == 200 * MS);
    weights_fini(&weights);
    weights = weigh("cpu.off", 2400, 2600);
    CHECK(weights.total_value == 300 * MS && weights.total_count == 1);
    weights_fini(&weights);
    weights = weigh("cpu.off", 100, 200); /* a bucket without waits can be cut as well */
    CHECK(weights.total_value == 0);
    CHECK(weights.used.from_ns == 100 * MS && weights.used.to_ns == 200 * MS);
    weights_fini(&weights);
}

TEST(a_bucket_with_timeless_moments_is_taken_whole)
{
    struct weights weights = weigh("cpu.on", 2500, 3500);
    CHECK(value_of(&weights, timed.stacks[TIMED_GRIND]) == 1500 * MS);
    CHECK(value_of(&weights, timed.stacks[TIMED_HASH]) == 100 * MS);
    CHECK(weights.used.from_ns == 2500 * MS && weights.used.to_ns == 4 * SEC);
    weights_fini(&weights);
}

TEST(threads_are_cut_likewise)
{
    struct weights weights;
    struct time_range const range = {1100 * MS, 1150 * MS};
    CHECK(weigh_threads(timed.recording, metric_find("cpu.on"), range, &weights, NULL) == 0);
    CHECK(weights.rows.count == 2);
    CHECK(value_of(&weights, 0) == 50 * MS && value_of(&weights, 1) == 50 * MS);
    weights_fini(&weights);
}

static struct moment_sums sum(struct time_range range)
{
    struct moment_sums sums;
    struct fault fault = {0};
    int err = moment_sums_build(timed.recording, metric_find("cpu.on"), range, &sums, &fault);
    if (err)
        fail_msg("%s", fault.text);
    return sums;
}

TEST(sums_are_by_thread_and_stack)
{
    struct moment_sums sums = sum(TIME_ALL);
    CHECK(sums.rows.count == 4);
    CHECK(sums.total_value == 4310 * MS && sums.total_count == 431);
    static const struct {
        uint32_t thread, site;
        int64_t count;
    } expected[] = {
        {0, TIMED_GRIND, 400}, {1, TIMED_HASH, 20}, {2, TIMED_HASH, 10}, {2, TIMED_POLL, 1}};
    for (size_t i = 0; i < 4; i++) {
        const struct moment_sum *row = &sums.rows.items[i];
        CHECK(row->thread == expected[i].thread);
        CHECK(row->stack == timed.stacks[expected[i].site]);
        CHECK(row->count == expected[i].count && row->value == row->count * 10 * MS);
    }
    moment_sums_fini(&sums);
}

TEST(heap_has_no_pairs)
{
    struct moment_sums sums;
    struct fault fault = {0};
    CHECK(moment_sums_build(timed.recording, metric_find("heap.live"), TIME_ALL, &sums, &fault) ==
          -ENODATA);
    CHECK(strstr(fault.text, "heap.live is known by stack and by thread, but not by both"));
}

TEST(nothing_there_is_told_from_nothing_known)
{
    struct moment_sums sums;
    struct fault fault = {0};
    struct time_range const first = {0, SEC};
    const struct metric *off = metric_find("cpu.off");
    CHECK(moment_sums_build(timed.recording, off, first, &sums, &fault) == -ENODATA);
    CHECK(strstr(fault.text, "there is no cpu.off in that time"));
    for (size_t i = 0; i < timed.recording->buckets.count; i++)
        timed.recording->buckets.items[i].moment_count = 0;
    CHECK(moment_sums_build(timed.recording, off, TIME_ALL, &sums, &fault) == -ENODATA);
    CHECK(strstr(fault.text, "only sums by stack and by thread"));
}

static int64_t root_value(enum thread_names names, const char *label, size_t *roots)
{
    struct moment_sums sums = sum(TIME_ALL);
    struct weights weights;
    struct call_tree tree;
    int64_t found = 0;
    CHECK(moment_sums_root(timed.recording, &sums, names, &weights) == 0);
    CHECK(weights.total_value == 4310 * MS);
    for (size_t i = 1; i < weights.rows.count; i++)
        CHECK(weights.rows.items[i - 1].key < weights.rows.items[i].key);
    CHECK(call_tree_build(timed.recording, &weights, false, MERGE_FUNCTION, &tree) == 0);
    *roots = 0;
    for (uint32_t i = tree.nodes.items[0].first_child; i; i = tree.nodes.items[i].next_sibling) {
        (*roots)++;
        if (strcmp(recording_text(timed.recording, tree.nodes.items[i].function), label) == 0)
            found = tree.nodes.items[i].value;
    }
    call_tree_fini(&tree);
    weights_fini(&weights);
    moment_sums_fini(&sums);
    return found;
}

TEST(each_thread_is_a_root)
{
    size_t roots;
    CHECK(root_value(THREADS_APART, "worker-1 (101)", &roots) == 200 * MS);
    CHECK(roots == 3);
    CHECK(root_value(THREADS_APART, "main (100)", &roots) == 4000 * MS);
}

TEST(digits_of_names_are_folded)
{
    size_t roots;
    CHECK(root_value(THREADS_FOLDED, "worker-#", &roots) == 310 * MS);
    CHECK(roots == 2);
}

TEST(moments_of_a_damaged_file_are_left_out)
{
    struct bucket *bucket = &timed.recording->buckets.items[0];
    bucket->moments[0].thread = 99;
    bucket->moments[1].stack = 12345678;
    struct moment_sums sums = sum(TIME_ALL);
    CHECK(sums.total_count == 429);
    moment_sums_fini(&sums);
    struct weights weights = weigh("cpu.on", 0, 500);
    CHECK(weights.total_count == 49);
    weights_fini(&weights);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    static const struct CMUnitTest tests[] = {
        CASE(a_stretch_inside_a_bucket_is_cut_by_moments),
        CASE(whole_buckets_between_two_cut_ones_count_whole),
        CASE(a_bucket_with_timeless_moments_is_taken_whole),
        CASE(threads_are_cut_likewise),
        CASE(sums_are_by_thread_and_stack),
        CASE(heap_has_no_pairs),
        CASE(nothing_there_is_told_from_nothing_known),
        CASE(each_thread_is_a_root),
        CASE(digits_of_names_are_folded),
        CASE(moments_of_a_damaged_file_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
