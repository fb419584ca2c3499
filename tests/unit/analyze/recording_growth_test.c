/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/recording_growth.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)
#define MIB (INT64_C(1) << 20)

/* Buckets of a second in place of those of the sample: CACHE takes a MiB in each, TREE a
 * quarter, PARSE comes and goes; at the end all is freed. */
static void fill(struct sample *sample, size_t seconds, bool grows)
{
    struct recording *recording = sample->recording;
    vec_each (bucket, &recording->buckets) {
        free(bucket->cells);
        free(bucket->thread_cells);
    }
    recording->buckets.count = 0;
    int64_t live = 0;
    for (size_t i = 0; i < seconds; i++) {
        struct cell *cells = calloc(6, sizeof(*cells));
        size_t count = 0;
        if (grows || i == 0) {
            cells[count++] = (struct cell){sample->stacks[SITE_CACHE], COL_HEAP_BYTES, MIB};
            cells[count++] = (struct cell){sample->stacks[SITE_TREE], COL_HEAP_BYTES, MIB / 4};
            live += MIB + MIB / 4;
        }
        cells[count++] = (struct cell){sample->stacks[SITE_PARSE], COL_HEAP_BYTES, 5 * MIB};
        cells[count++] = (struct cell){sample->stacks[SITE_PARSE], COL_HEAP_FREED, 5 * MIB};
        if (i + 1 == seconds && grows)
            cells[count++] =
                (struct cell){sample->stacks[SITE_CACHE], COL_HEAP_FREED, (int64_t)seconds * MIB};
        struct bucket bucket = {.begin_ns = i * SEC,
                                .end_ns = (i + 1) * SEC,
                                .gauges = {live + 10 * MIB, live, live + 5 * MIB, live},
                                .cells = cells,
                                .cell_count = count};
        CHECK(vec_push(&recording->buckets, bucket));
    }
    recording->duration_ns = seconds * SEC;
}

TEST(the_functions_that_grow_explain_the_growth)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, true);
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    assert_int_equal(growth.heap.verdict, GROWTH_GROWING);
    assert_int_equal(growth.rss.verdict, GROWTH_GROWING);
    assert_int_equal(growth.site_count, 2);
    assert_string_equal(recording_text(sample.recording, growth.sites[0].function), "cache_insert");
    assert_string_equal(recording_text(sample.recording, growth.sites[1].function), "walk");
    CHECK(growth.sites[0].share > 0.78 && growth.sites[0].share < 0.82);
    CHECK(growth.explained_share > 0.98 && growth.explained_share < 1.02);
    assert_int_equal(growth.sites[0].stack, sample.stacks[SITE_CACHE]);
    CHECK(growth.heap.slope > 1.2 * MIB && growth.heap.slope < 1.3 * MIB);
    sample_destroy(&sample);
}

TEST(what_recording_takes_is_not_growth)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, false);
    for (size_t i = 0; i < 120; i++) { /* all that rises is ours */
        sample.recording->buckets.items[i].own_bytes = (int64_t)i * MIB;
        sample.recording->buckets.items[i].gauges.rss_bytes += (int64_t)i * MIB;
    }
    CHECK(recording_growth_make(sample.recording, 1000 * MIB, &growth, NULL) == 0);
    assert_int_equal(growth.rss.verdict, GROWTH_STEADY);
    CHECK(growth.own_bytes == 119 * MIB && growth.rss.limit_ns == GROWTH_NEVER);
    fill(&sample, 120, true);
    for (size_t i = 0; i < 120; i++) {
        sample.recording->buckets.items[i].own_bytes = (int64_t)i * 2 * MIB;
        sample.recording->buckets.items[i].gauges.rss_bytes += (int64_t)i * 2 * MIB;
    }
    CHECK(recording_growth_make(sample.recording, 1000 * MIB, &growth, NULL) == 0);
    assert_int_equal(growth.rss.verdict, GROWTH_GROWING);
    CHECK(growth.rss.slope > 1.2 * MIB && growth.rss.slope < 1.3 * MIB);
    sample_destroy(&sample);
}

TEST(a_limit_given_goes_before_the_one_recorded)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, true);
    sample.recording->limit_bytes = 1000 * MIB;
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    CHECK(growth.limit_bytes == 1000 * MIB);
    CHECK(recording_growth_make(sample.recording, 300 * MIB, &growth, NULL) == 0);
    CHECK(growth.limit_bytes == 300 * MIB);
    CHECK(growth.heap.limit_ns > 100 * SEC && growth.heap.limit_ns < 150 * SEC);
    sample_destroy(&sample);
}

TEST(a_steady_program_has_no_sites_to_blame)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, false);
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    assert_int_equal(growth.heap.verdict, GROWTH_STEADY);
    assert_int_equal(growth.site_count, 0);
    sample_destroy(&sample);
}

TEST(numbered_marks_are_one_piece_of_work)
{
    struct sample sample = sample_create();
    struct recording *recording = sample.recording;
    struct recording_growth growth;
    char name[32];
    fill(&sample, 120, true);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "block %u of 40", i);
        marks_add(&recording->marks, MARK_INSTANT, recording_intern(recording, name), i * 3 * SEC);
    }
    marks_add(&recording->marks, MARK_INSTANT, recording_intern(recording, "over"), 119 * SEC);
    CHECK(recording_growth_make(recording, 0, &growth, NULL) == 0);
    assert_string_equal(recording_text(recording, growth.mark_name), "block # of #");
    assert_int_equal(growth.heap.marks_used, 39);
    CHECK(growth.heap.bytes_per_mark > 3.6 * MIB && growth.heap.bytes_per_mark < 3.9 * MIB);
    sample_destroy(&sample);
}

TEST(a_short_recording_is_not_judged)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    assert_int_equal(growth.heap.verdict, GROWTH_UNKNOWN);
    assert_int_equal(growth.rss.verdict, GROWTH_UNKNOWN);
    sample_destroy(&sample);
}

TEST(a_part_is_judged_by_itself)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, true);
    struct time_range const middle = {20 * SEC, 80 * SEC}, few = {20 * SEC, 30 * SEC};
    CHECK(recording_growth_make_within(sample.recording, middle, 0, &growth, NULL) == 0);
    assert_int_equal(growth.heap.verdict, GROWTH_GROWING);
    CHECK(growth.heap.from_ns >= 20 * SEC && growth.heap.to_ns <= 80 * SEC);
    CHECK(growth.heap.first > 20 * MIB && growth.heap.last <= 101 * MIB);
    assert_int_equal(growth.site_count, 2);
    CHECK(recording_growth_make_within(sample.recording, few, 0, &growth, NULL) == 0);
    assert_int_equal(growth.heap.verdict, GROWTH_UNKNOWN);
    assert_int_equal(growth.site_count, 0);
    sample_destroy(&sample);
}

TEST(a_site_has_its_floors_from_the_beginning_to_the_end)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    fill(&sample, 120, true);
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    const double *floors = growth.sites[0].floors;
    CHECK(floors[0] >= 0 && floors[0] < 6 * MIB);
    for (size_t i = 1; i + 1 < GROWTH_SITE_SLOTS; i++)
        CHECK(floors[i] > floors[i - 1]);
    CHECK(floors[GROWTH_SITE_SLOTS - 1] < MIB); /* all is freed at the end */
    sample_destroy(&sample);
}

TEST(the_line_goes_through_the_floors)
{
    struct sample sample = sample_create();
    struct recording_growth growth;
    struct growth_curve curve;
    struct time_range const all = {0, UINT64_MAX};
    fill(&sample, 120, true);
    CHECK(recording_growth_make(sample.recording, 0, &growth, NULL) == 0);
    CHECK(growth_curve_make(sample.recording, all, true, &growth.heap, &curve) == 0);
    CHECK(curve.has_line);
    CHECK(curve.floors.count >= 24 && curve.floors.count <= TREND_MAX);
    CHECK(curve.line_from > -4 * MIB && curve.line_from < 4 * MIB);
    CHECK(curve.line_to > 145 * MIB && curve.line_to < 155 * MIB);
    growth.heap.verdict = GROWTH_UNKNOWN;
    CHECK(growth_curve_make(sample.recording, (struct time_range){0, 5 * SEC}, true, &growth.heap,
                            &curve) == 0);
    CHECK(!curve.has_line);
    assert_int_equal(curve.floors.count, 0);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_functions_that_grow_explain_the_growth),
        cmocka_unit_test(what_recording_takes_is_not_growth),
        cmocka_unit_test(a_limit_given_goes_before_the_one_recorded),
        cmocka_unit_test(a_steady_program_has_no_sites_to_blame),
        cmocka_unit_test(numbered_marks_are_one_piece_of_work),
        cmocka_unit_test(a_short_recording_is_not_judged),
        cmocka_unit_test(a_part_is_judged_by_itself),
        cmocka_unit_test(a_site_has_its_floors_from_the_beginning_to_the_end),
        cmocka_unit_test(the_line_goes_through_the_floors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
