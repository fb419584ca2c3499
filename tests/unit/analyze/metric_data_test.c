/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/metric_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static struct recording *make(const char *source)
{
    struct recording *recording = recording_create();
    assert_non_null(recording);
    recording->source = recording_intern(recording, source);
    recording->duration_ns = 1000;
    assert_true(vec_push(&recording->buckets, ((struct bucket){.begin_ns = 0, .end_ns = 1000})));
    return recording;
}

static void add_cell(struct recording *recording, unsigned column)
{
    struct bucket *bucket = &recording->buckets.items[0];
    bucket->cells = calloc(1, sizeof(struct cell));
    assert_non_null(bucket->cells);
    bucket->cells[0] = (struct cell){1, (uint16_t)column, 5};
    bucket->cell_count = 1;
}

static int check_metric(struct recording *recording, const char *name, const char *says)
{
    struct fault fault = {.text = ""};
    int const err = metric_data_check(recording, metric_find(name), &fault);
    if (err && !strstr(fault.text, says))
        fail_msg("%s: \"%s\"", name, fault.text);
    return err;
}

/* A traced program that allocates nothing has a heap of 0. */
TEST(nothing_is_not_the_same_as_not_measured)
{
    struct recording *recording = make("memoir run");
    assert_int_equal(check_metric(recording, "heap.peak", ""), 0);
    assert_int_equal(check_metric(recording, "heap.temporary", ""), 0);
    assert_int_equal(check_metric(recording, "maps.live", ""), 0);
    assert_int_equal(
        check_metric(recording, "cpu.on", "no CPU time in this recording; record with --cpu"),
        -ENODATA);
    assert_int_equal(check_metric(recording, "cpu.off", "--off-cpu"), -ENODATA);
    assert_int_equal(check_metric(recording, "pages.anon", "--pages"), -ENODATA);
    assert_int_equal(check_metric(recording, "pages.cache", "agent"), -ENODATA);
    assert_int_equal(check_metric(recording, "resident", "--map-every"), -ENODATA);
    assert_int_equal(check_metric(recording, "pool.peak", "memoir.h"), -ENODATA);
    recording->timing.hz = 99;
    assert_int_equal(check_metric(recording, "cpu.on", ""), 0);
    recording_destroy(recording);
}

/* Columns that are measured together: one of them tells that the others are 0. */
TEST(one_of_a_family_is_enough)
{
    struct recording *recording = make("memoir run");
    add_cell(recording, COL_RESIDENT_0 + 2 * OWNER_FILE);
    assert_int_equal(check_metric(recording, "unexplained.resident", ""), 0);
    assert_int_equal(check_metric(recording, "before.touched", "--pages"), -ENODATA);
    recording_destroy(recording);
}

TEST(every_metric_has_a_sentence)
{
    struct recording *recording = make(SOURCE_CPU);
    for (const struct metric *metric = metrics; metric->name; metric++)
        assert_int_equal(check_metric(recording, metric->name, " in this recording; "), -ENODATA);
    recording_destroy(recording);
}

TEST(a_heap_that_was_off_is_said_to_be)
{
    struct recording *recording = make("memoir run");
    recording->quality.off_ns = 999;
    assert_true(metric_data_heap_is_off(recording));
    assert_int_equal(check_metric(recording, "heap.peak", "--heap off"), -ENODATA);
    recording->quality.off_ns = 500;
    assert_false(metric_data_heap_is_off(recording));
    assert_int_equal(check_metric(recording, "heap.peak", ""), 0);
    recording_destroy(recording);
}

TEST(other_programs_files_have_what_they_have)
{
    struct recording *recording = make(SOURCE_PPROF_HEAP);
    add_cell(recording, COL_HEAP_BYTES);
    recording->heap.bytes = 5;
    assert_int_equal(check_metric(recording, "heap.live", ""), 0);
    assert_int_equal(check_metric(recording, "heap.temporary", "temporary"), -ENODATA);
    assert_int_equal(check_metric(recording, "heap.peak", "choose heap.live"), -ENODATA);
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_not_the_same_as_not_measured),
        cmocka_unit_test(one_of_a_family_is_enough),
        cmocka_unit_test(every_metric_has_a_sentence),
        cmocka_unit_test(a_heap_that_was_off_is_said_to_be),
        cmocka_unit_test(other_programs_files_have_what_they_have),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
