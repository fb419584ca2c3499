/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sites/rank.h"

#include <string.h>

#include "analyze/alerts/findings.h"
#include "analyze/sums/histogram.h"
#include "check.h"
#include "folded_recording.h"
#include "sample_recording.h"

#define MIB 1048576
#define SEC UINT64_C(1000000000)

static struct sample sample;
static struct weights weights;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &weights, NULL);
}

static int end(void **state)
{
    (void)state;
    weights_fini(&weights);
    sample_destroy(&sample);
    return 0;
}

static struct rank_row row_of(const struct rank *rank, const char *function)
{
    for (size_t i = 0; i < rank->rows.count; i++)
        if (strcmp(recording_text(sample.recording, rank->rows.items[i].function), function) == 0)
            return rank->rows.items[i];
    fail_msg("no row %s", function);
    return (struct rank_row){0};
}

TEST(functions_have_self_and_total)
{
    struct rank rank;
    CHECK(rank_build(sample.recording, &weights, BY_FUNCTION, &rank) == 0);
    CHECK(row_of(&rank, "main").self_value == 0 && row_of(&rank, "main").total_value == 11538436);
    CHECK(row_of(&rank, "cache_insert").self_value == 10 * MIB);
    CHECK(row_of(&rank, "store_block").self_value == 0);
    CHECK(row_of(&rank, "store_block").total_count == 10);
    int64_t sum = 0;
    for (size_t i = 0; i < rank.rows.count; i++) {
        sum += rank.rows.items[i].self_value;
        CHECK(i == 0 || rank.rows.items[i].self_value <= rank.rows.items[i - 1].self_value);
    }
    CHECK(sum == weights.total_value);
    rank_fini(&rank);
}

TEST(recursion_counts_once)
{
    struct rank rank;
    CHECK(rank_build(sample.recording, &weights, BY_FUNCTION, &rank) == 0);
    CHECK(row_of(&rank, "walk").self_value == MIB && row_of(&rank, "walk").total_value == MIB);
    CHECK(row_of(&rank, "walk").total_count == 2);
    rank_fini(&rank);
}

TEST(lines_of_a_function_are_rows_of_their_own)
{
    struct weights calls;
    struct rank rank;
    size_t handles = 0;
    CHECK(weigh_stacks(sample.recording, metric_find("heap.calls"), TIME_ALL, &calls, NULL) == 0);
    CHECK(rank_build(sample.recording, &calls, BY_LINE, &rank) == 0);
    for (size_t i = 0; i < rank.rows.count; i++)
        handles +=
            strcmp(recording_text(sample.recording, rank.rows.items[i].function), "handle") == 0;
    CHECK(handles == 2);
    rank_fini(&rank);
    CHECK(rank_build(sample.recording, &calls, BY_FUNCTION, &rank) == 0);
    CHECK(row_of(&rank, "handle").total_value == 3010 && row_of(&rank, "handle").line == 0);
    rank_fini(&rank);
    weights_fini(&calls);
}

TEST(modules_add_up)
{
    struct rank rank;
    CHECK(rank_build(sample.recording, &weights, BY_MODULE, &rank) == 0);
    CHECK(rank.rows.count == 3);
    CHECK(row_of(&rank, "ledger-node").self_value == 11 * MIB);
    CHECK(row_of(&rank, "ledger-node").total_value == 11538436);
    CHECK(row_of(&rank, "libc.so.6").self_value == 100);
    rank_fini(&rank);
}

TEST(stacks_lead_back_to_their_callers)
{
    struct rank rank;
    CHECK(rank_build(sample.recording, &weights, BY_STACK, &rank) == 0);
    CHECK(rank.rows.count == 4 && rank.rows.items[0].self_value == 10 * MIB);
    const char *const names[] = {"cache_insert", "store_block", "handle", "main", "_start"};
    uint32_t node = rank.rows.items[0].node;
    for (size_t i = 0; i < 5; i++, node = rank.tree.nodes.items[node].parent)
        assert_string_equal(recording_text(sample.recording, rank.tree.nodes.items[node].function),
                            names[i]);
    CHECK(node == 0);
    rank_fini(&rank);
}

TEST(what_has_no_stack_is_a_row)
{
    struct rank rank;
    CHECK(vec_push(&weights.rows, (struct weight){STACK_EMPTY, 5000, 1, 0}));
    for (int by = BY_STACK; by <= BY_MODULE; by++) {
        CHECK(rank_build(sample.recording, &weights, by, &rank) == 0);
        CHECK(row_of(&rank, "").self_value == 5000);
        rank_fini(&rank);
    }
}

TEST(every_weight_knows_its_row)
{
    struct rank rank;
    for (int by = BY_STACK; by <= BY_MODULE; by++) {
        CHECK(rank_build(sample.recording, &weights, by, &rank) == 0);
        int64_t sums[64] = {0};
        CHECK(rank.rows.count <= 64);
        for (size_t i = 0; i < weights.rows.count; i++)
            sums[rank.row_of_weight[i]] += weights.rows.items[i].value;
        for (size_t i = 0; i < rank.rows.count; i++)
            CHECK(sums[i] == rank.rows.items[i].self_value);
        rank_fini(&rank);
    }
}

TEST(threads_are_listed)
{
    struct rank rank;
    struct weights threads;
    CHECK(weigh_threads(sample.recording, metric_find("heap.peak"), TIME_ALL, &threads, NULL) == 0);
    CHECK(rank_build(sample.recording, &threads, BY_THREAD, &rank) == 0);
    CHECK(rank.rows.count == 2 && rank.rows.items[0].thread == 1);
    CHECK(rank.rows.items[1].self_value == 4000);
    rank_fini(&rank);
    weights_fini(&threads);
}

TEST(histograms_count_sizes_and_lifetimes)
{
    struct histogram all = {0};
    struct time_range range = TIME_ALL;
    CHECK(histogram_add(sample.recording, &range, (struct histogram_sites){NULL, &all, false},
                        NULL) == 0);
    CHECK(all.sizes[size_class(64)] == 3001 && /* 100 bytes are in that class too */
          all.sizes[size_class(MIB)] == 10);
    CHECK(histogram_total(all.sizes, SIZE_CLASSES) == 3014);
    CHECK(all.lifetimes[0] == 2700 && all.lifetimes[2] == 300 && all.lifetimes[8] == 8);
    CHECK(histogram_size_from(0) == 0 && histogram_size_from(7) == 64);
    CHECK(size_class(histogram_size_from(7)) == 7 && size_class(histogram_size_from(8) - 1) == 7);
    CHECK(histogram_lifetime_from(0) == 0 && histogram_lifetime_from(1) == 1000);
}

TEST(histograms_of_some_sites)
{
    struct histogram sites[2] = {0};
    struct time_range range = {5 * SEC, 15 * SEC};
    uint32_t site_of_stack[64];
    CHECK(stack_table_count(sample.recording->stacks) < 64);
    memset(site_of_stack, 0xff, sizeof(site_of_stack));
    site_of_stack[sample.stacks[SITE_CACHE]] = 0;
    site_of_stack[sample.stacks[SITE_TREE]] = 1;
    CHECK(histogram_add(sample.recording, &range,
                        (struct histogram_sites){site_of_stack, sites, false}, NULL) == 0);
    CHECK(range.from_ns == 0 && range.to_ns == 20 * SEC);
    CHECK(sites[0].sizes[size_class(MIB)] == 10);
    CHECK(sites[1].sizes[size_class(MIB / 2)] == 2 && sites[1].sizes[size_class(MIB)] == 0);
}

TEST(findings_count_unnamed_frames_by_reason)
{
    struct findings findings;
    CHECK(findings_make(sample.recording, &findings) == 0);
    CHECK(findings.unnamed == 1 && findings.unnamed_by_reason[UNNAMED_NO_SYMBOLS] == 1);
    CHECK(findings.frames == 11 && findings.rss_peak_bytes == 14 * MIB);
    CHECK(findings.complete_share > 0.999 && findings.complete_share < 1);
    CHECK(vec_push(&sample.recording->frames, (struct frame){.module = MODULE_NONE}));
    CHECK(vec_push(&sample.recording->frames, (struct frame){.module = 0, .address = 5}));
    CHECK(findings_make(sample.recording, &findings) == 0);
    CHECK(findings.unnamed_by_reason[UNNAMED_NO_MODULE] == 1);
    CHECK(findings.unnamed_by_reason[UNNAMED_GAP] == 1 && findings.unnamed == 3);
}

/* In two branches it counts for both, again in one branch it counts once. */
TEST(a_function_counts_once_for_each_stack)
{
    struct recording *folded = folded_create();
    struct weights all;
    struct rank rank;
    folded_add(folded, "main;a;x", COL_HEAP_BYTES, 10);
    folded_add(folded, "main;b;x", COL_HEAP_BYTES, 20);
    folded_add(folded, "main;a;x;y;x", COL_HEAP_BYTES, 5);
    folded_add(folded, "main;c;b;x;a", COL_HEAP_BYTES, 3);
    CHECK(weigh_stacks(folded, metric_find("heap.allocated"), TIME_ALL, &all, NULL) == 0);
    for (enum grouping by = BY_FUNCTION; by <= BY_LINE; by += BY_LINE - BY_FUNCTION) {
        int64_t x = 0, a = 0, b = 0;
        CHECK(rank_build(folded, &all, by, &rank) == 0);
        vec_each (row, &rank.rows) {
            const char *name = recording_text(folded, row->function);
            x += strcmp(name, "x") == 0 ? row->total_value : 0;
            a += strcmp(name, "a") == 0 ? row->total_value : 0;
            b += strcmp(name, "b") == 0 ? row->total_value : 0;
        }
        CHECK(x == 38 && a == 18 && b == 23);
        rank_fini(&rank);
    }
    weights_fini(&all);
    recording_destroy(folded);
}

/* The outermost functions of the rows, one letter each. */
static void write_order(const char *const stacks[4], const int64_t values[4], char letters[5])
{
    struct recording *recording = folded_create();
    struct weights tied;
    struct rank rank;
    for (int i = 0; i < 4; i++)
        folded_add(recording, stacks[i], COL_HEAP_BYTES, values[i]);
    CHECK(weigh_stacks(recording, metric_find("heap.live"), TIME_ALL, &tied, NULL) == 0);
    CHECK(rank_build(recording, &tied, BY_STACK, &rank) == 0 && rank.rows.count == 4);
    for (size_t i = 0; i < 4; i++) {
        uint32_t node = rank.rows.items[i].node;
        while (rank.tree.nodes.items[node].parent)
            node = rank.tree.nodes.items[node].parent;
        letters[i] = recording_text(recording, rank.tree.nodes.items[node].function)[0];
    }
    letters[4] = '\0';
    rank_fini(&rank);
    weights_fini(&tied);
    recording_destroy(recording);
}

TEST(rows_of_one_size_are_in_order_of_their_stacks)
{
    char first[5], second[5];
    write_order((const char *[]){"a;x", "b;x", "c;m;x", "d;x"}, (int64_t[]){7, 7, 7, -7}, first);
    write_order((const char *[]){"d;x", "c;m;x", "b;x", "a;x"}, (int64_t[]){-7, 7, 7, 7}, second);
    assert_string_equal(first, "abcd");
    assert_string_equal(second, first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(functions_have_self_and_total, begin, end),
        cmocka_unit_test_setup_teardown(recursion_counts_once, begin, end),
        cmocka_unit_test_setup_teardown(lines_of_a_function_are_rows_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(modules_add_up, begin, end),
        cmocka_unit_test_setup_teardown(stacks_lead_back_to_their_callers, begin, end),
        cmocka_unit_test_setup_teardown(what_has_no_stack_is_a_row, begin, end),
        cmocka_unit_test_setup_teardown(every_weight_knows_its_row, begin, end),
        cmocka_unit_test_setup_teardown(threads_are_listed, begin, end),
        cmocka_unit_test_setup_teardown(histograms_count_sizes_and_lifetimes, begin, end),
        cmocka_unit_test_setup_teardown(histograms_of_some_sites, begin, end),
        cmocka_unit_test_setup_teardown(findings_count_unnamed_frames_by_reason, begin, end),
        cmocka_unit_test(a_function_counts_once_for_each_stack),
        cmocka_unit_test(rows_of_one_size_are_in_order_of_their_stacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
