/* SPDX-License-Identifier: Apache-2.0 */
#include "store/write/coarsen.h"

#include <stdlib.h>

#include "check.h"

#define SEC UINT64_C(1000000000)

static void the_ladder_is_the_documented_one(void **state)
{
    (void)state;
    CHECK(coarsen_width(0, 0) == 0 && coarsen_width(600 * SEC - 1, 0) == 0);
    CHECK(coarsen_width(600 * SEC, 0) == 10 * SEC);
    CHECK(coarsen_width(2 * 3600 * SEC, 0) == 60 * SEC);
    CHECK(coarsen_width(86400 * SEC, 0) == 600 * SEC);
    CHECK(coarsen_width(7 * 86400 * SEC, 0) == 3600 * SEC);
    CHECK(coarsen_width(30 * 86400 * SEC, 0) == 86400 * SEC);
    CHECK(coarsen_width(365 * 86400 * SEC, 0) == UINT64_MAX);
    CHECK(coarsen_width(150 * SEC, 1) == 10 * SEC); /* ages count fourfold */
    CHECK(coarsen_width(0, COARSEN_STEPS - 1) == 0);
    CHECK(coarsen_width(SEC, COARSEN_STEPS - 1) == UINT64_MAX);
    CHECK(coarsen_width(UINT64_MAX, 5) == UINT64_MAX);
}

static struct bucket *seconds(size_t count)
{
    struct bucket *buckets = calloc(count, sizeof(*buckets));
    for (size_t i = 0; i < count; i++) {
        buckets[i].begin_ns = i * SEC;
        buckets[i].end_ns = (i + 1) * SEC;
    }
    return buckets;
}

static void old_seconds_become_tens_on_round_boundaries(void **state)
{
    (void)state;
    struct bucket *buckets = seconds(1000);
    struct recording *recording = recording_create();
    struct coarsen_plan plan = {.buckets = buckets, .count = 1000, .recording = recording};
    CHECK(coarsen_group_count(&plan) == 1000); /* not enabled */
    plan.enabled = true;
    CHECK(coarsen_group_end(&plan, 0) == 10);
    CHECK(coarsen_group_end(&plan, 10) == 20);
    CHECK(coarsen_group_end(&plan, 15) == 20); /* to the grid, not ten from anywhere */
    CHECK(coarsen_group_count(&plan) == 40 + 600);
    plan.step = COARSEN_STEPS - 1;
    CHECK(coarsen_group_count(&plan) == 2);
    recording_destroy(recording);
    free(buckets);
}

static void pinned_boundaries_and_gaps_stay(void **state)
{
    (void)state;
    struct bucket *buckets = seconds(1000);
    struct recording *recording = recording_create();
    struct coarsen_plan plan = {
        .buckets = buckets, .count = 1000, .recording = recording, .enabled = true};
    CHECK(vec_push(&recording->pins, (struct pin){.kind = PIN_MARK, .time_ns = 13 * SEC}));
    CHECK(coarsen_group_end(&plan, 10) == 13 && coarsen_group_end(&plan, 13) == 20);
    marks_add(&recording->marks, MARK_INSTANT, STRING_EMPTY, 27 * SEC);
    CHECK(coarsen_group_end(&plan, 20) == 27 && coarsen_group_end(&plan, 27) == 30);
    marks_add(&recording->marks, MARK_INSTANT, STRING_EMPTY, 41 * SEC); /* too soon after 40 */
    CHECK(coarsen_group_end(&plan, 40) == 50);
    plan.step = 3; /* widths of a minute: 7.5 s is the least */
    CHECK(coarsen_group_end(&plan, 20) > 27);
    CHECK(coarsen_group_end(&plan, 14) == 27);
    plan.step = 0;
    buckets[4].end_ns -= 1; /* a gap before 5 */
    CHECK(coarsen_group_end(&plan, 0) == 5 && coarsen_group_end(&plan, 5) == 10);
    recording_destroy(recording);
    free(buckets);
}

static void gauges_keep_end_max_and_min(void **state)
{
    (void)state;
    struct bucket a = {.end_ns = 1, .gauges = {10, 20, 30, 5}, .pss_bytes = 9, .lost_events = 3};
    struct bucket b = {
        .begin_ns = 1, .end_ns = 2, .gauges = {7, 8, 25, 2}, .pss_bytes = 6, .lost_events = 4};
    struct bucket unmeasured = {.begin_ns = 2, .end_ns = 3, .gauges = {-1, -1, -1, -1}};
    coarsen_absorb(&a, &b);
    coarsen_absorb(&a, &unmeasured);
    CHECK(a.begin_ns == 0 && a.end_ns == 3 && a.lost_events == 7);
    CHECK(a.pss_bytes == 6 && a.gauges.rss_bytes == 7 && a.gauges.heap_live_end == 8);
    CHECK(a.gauges.heap_live_max == 30 && a.gauges.heap_live_min == 2);
    b.begin_ns = 3;
    b.end_ns = 4;
    coarsen_absorb(&unmeasured, &b);
    CHECK(unmeasured.gauges.heap_live_min == 2 && unmeasured.gauges.heap_live_max == 25);
    CHECK(unmeasured.pss_bytes == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder_is_the_documented_one),
        cmocka_unit_test(old_seconds_become_tens_on_round_boundaries),
        cmocka_unit_test(pinned_boundaries_and_gaps_stay),
        cmocka_unit_test(gauges_keep_end_max_and_min),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
