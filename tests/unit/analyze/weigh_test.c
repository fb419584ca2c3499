/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/weigh.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define MIB 1048576
#define SEC UINT64_C(1000000000)

static struct sample sample;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    sample_destroy(&sample);
    return 0;
}

static struct weight row_of(const struct weights *weights, uint32_t key)
{
    for (size_t i = 0; i < weights->rows.count; i++)
        if (weights->rows.items[i].key == key)
            return weights->rows.items[i];
    return (struct weight){0};
}

static struct weights weigh(const char *metric, struct time_range range)
{
    struct weights weights;
    struct fault fault = {0};
    int err = weigh_stacks(sample.recording, metric_find(metric), range, &weights, &fault);
    if (err)
        fail_msg("%s: %s", metric, fault.text);
    return weights;
}

TEST(a_level_is_what_is_left_at_the_end)
{
    struct weights leaked = weigh("heap.leaked", TIME_ALL);
    CHECK(leaked.rows.count == 4); /* parsing left nothing, and has no row */
    CHECK(row_of(&leaked, sample.stacks[SITE_CACHE]).value == 2 * MIB);
    CHECK(row_of(&leaked, sample.stacks[SITE_CACHE]).count == 2);
    CHECK(row_of(&leaked, sample.stacks[SITE_TREE]).value == MIB / 2);
    CHECK(leaked.total_value == 2625540 && leaked.total_count == 5);
    CHECK(leaked.used.from_ns == 0 && leaked.used.to_ns == 30 * SEC);
    for (size_t i = 1; i < leaked.rows.count; i++)
        CHECK(leaked.rows.items[i - 1].key < leaked.rows.items[i].key);
    weights_fini(&leaked);
}

TEST(times_snap_outward_to_buckets)
{
    struct weights at = weigh("heap.live", (struct time_range){0, 3 * SEC});
    CHECK(at.used.to_ns == 10 * SEC && at.total_value == 4198404);
    weights_fini(&at);

    struct weights exact = weigh("heap.live", (struct time_range){0, 10 * SEC});
    CHECK(exact.used.to_ns == 10 * SEC && exact.total_value == 4198404);
    weights_fini(&exact);

    struct weights change = weigh("heap.live", (struct time_range){21 * SEC, 22 * SEC});
    CHECK(change.used.from_ns == 20 * SEC && change.used.to_ns == 30 * SEC);
    CHECK(row_of(&change, sample.stacks[SITE_CACHE]).value == -8 * MIB);
    CHECK(row_of(&change, sample.stacks[SITE_CACHE]).count == -8);
    weights_fini(&change);

    struct weights nothing = weigh("heap.live", (struct time_range){0, 0});
    CHECK(nothing.rows.count == 0 && nothing.total_value == 0);
    weights_fini(&nothing);
}

TEST(a_counter_adds_what_happened_in_the_range)
{
    struct weights all = weigh("heap.calls", TIME_ALL);
    CHECK(row_of(&all, sample.stacks[SITE_PARSE]).value == 3000 && all.total_value == 3014);
    weights_fini(&all);
    struct weights some = weigh("heap.temporary", (struct time_range){10 * SEC, 20 * SEC});
    CHECK(some.rows.count == 1 && some.total_value == 900);
    weights_fini(&some);
}

TEST(the_peak_is_the_pinned_picture)
{
    struct weights peak = weigh("heap.peak", TIME_ALL);
    CHECK(peak.total_value == 11538436 && peak.total_count == 14);
    CHECK(peak.used.from_ns == 18 * SEC && peak.used.to_ns == 18 * SEC);
    weights_fini(&peak);

    struct fault fault = {0};
    CHECK(weigh_stacks(sample.recording, metric_find("heap.peak"), (struct time_range){0, 5 * SEC},
                       &peak, &fault) == -ERANGE);
    CHECK(strstr(fault.text, "18.0 s"));
}

TEST(a_missing_peak_is_an_error_only_when_there_was_one)
{
    struct fault fault = {0};
    struct weights peak;
    free(sample.recording->pins.items[0].cells);
    free(sample.recording->pins.items[0].thread_cells);
    sample.recording->pins.count = 0;
    CHECK(weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &peak, &fault) ==
          -ENODATA);
    sample.recording->heap.peak_bytes = 0;
    CHECK(weigh_stacks(sample.recording, metric_find("heap.peak"), TIME_ALL, &peak, &fault) == 0);
    CHECK(peak.rows.count == 0);
}

TEST(a_range_after_the_end_is_refused)
{
    struct fault fault = {0};
    struct weights weights;
    CHECK(weigh_stacks(sample.recording, metric_find("heap.live"),
                       (struct time_range){30 * SEC, 40 * SEC}, &weights, &fault) == -ERANGE);
    CHECK(strstr(fault.text, "30.0 s long"));
}

TEST(threads_are_weighed_alike)
{
    struct weights weights;
    CHECK(weigh_threads(sample.recording, metric_find("heap.peak"), TIME_ALL, &weights, NULL) == 0);
    CHECK(weights.rows.count == 2 && row_of(&weights, 0).value == 4000);
    CHECK(row_of(&weights, 1).value == 11 * MIB + 100);
    weights_fini(&weights);
    CHECK(weigh_threads(sample.recording, metric_find("heap.temporary"), TIME_ALL, &weights,
                        NULL) == 0);
    CHECK(weights.rows.count == 1 && row_of(&weights, 1).value == 2700);
    weights_fini(&weights);
}

TEST(cells_that_name_nothing_are_passed_over)
{
    sample.recording->buckets.items[0].cells[0].key = 999999;
    sample.recording->buckets.items[0].cells[1].column = 60000;
    struct weights weights = weigh("heap.calls", TIME_ALL);
    CHECK(weights.total_value == 3010);
    weights_fini(&weights);
}

/* A store that keeps the cells elsewhere: they are asked for, and asked for again once let go. */
static int loads;
static struct cell far_cells[] = {{1, COL_HEAP_BYTES, 10}};

static int load_far(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    (void)recording, (void)fault;
    loads++;
    bucket->cells = malloc(sizeof(far_cells));
    memcpy(bucket->cells, far_cells, sizeof(far_cells));
    bucket->cell_count = 1;
    return 0;
}

TEST(cells_on_disk_are_loaded)
{
    struct recording *recording = recording_create();
    stack_id id;
    CHECK(stack_table_push(recording->stacks, STACK_EMPTY, 0, &id) == 0 && id == 1);
    for (uint64_t i = 0; i < 3; i++)
        CHECK(vec_push(&recording->buckets,
                       (struct bucket){.begin_ns = i, .end_ns = i + 1, .file_offset = 64 + i}));
    recording->load_bucket = load_far;
    struct weights weights;
    CHECK(weigh_stacks(recording, metric_find("heap.allocated"), TIME_ALL, &weights, NULL) == 0);
    CHECK(weights.total_value == 30 && loads == 3);
    weights_fini(&weights);
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_level_is_what_is_left_at_the_end, begin, end),
        cmocka_unit_test_setup_teardown(times_snap_outward_to_buckets, begin, end),
        cmocka_unit_test_setup_teardown(a_counter_adds_what_happened_in_the_range, begin, end),
        cmocka_unit_test_setup_teardown(the_peak_is_the_pinned_picture, begin, end),
        cmocka_unit_test_setup_teardown(a_missing_peak_is_an_error_only_when_there_was_one, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_range_after_the_end_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(threads_are_weighed_alike, begin, end),
        cmocka_unit_test_setup_teardown(cells_that_name_nothing_are_passed_over, begin, end),
        cmocka_unit_test(cells_on_disk_are_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
