/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/growth/owners_curve.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)
#define MIB (INT64_C(1) << 20)

static struct sample sample;
static struct owners_curve curve;
static struct fault fault;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    owners_curve_fini(&curve);
    sample_destroy(&sample);
    return 0;
}

static void put(size_t bucket, unsigned column, int64_t bytes)
{
    struct bucket *into = &sample.recording->buckets.items[bucket];
    into->cells = realloc(into->cells, (into->cell_count + 1) * sizeof(struct cell));
    CHECK(into->cells != NULL);
    into->cells[into->cell_count++] = (struct cell){
        sample.stacks[SITE_CACHE], (uint16_t)(column + (bytes < 0)), bytes < 0 ? -bytes : bytes};
}

TEST(each_look_with_news_is_an_instant)
{
    put(0, COL_RESIDENT_0 + 2 * OWNER_LIVE, 4 * MIB);
    put(0, COL_RESIDENT_0 + 2 * OWNER_FILE, MIB);
    put(2, COL_RESIDENT_0 + 2 * OWNER_LIVE, -3 * MIB);
    CHECK(owners_curve_build(sample.recording, 100, &curve, &fault) == 0);
    assert_int_equal(curve.part_count, OWNER_KINDS);
    assert_int_equal(curve.instants.count, 2);
    assert_int_equal(curve.instants.items[0].time_ns, 10 * SEC);
    assert_int_equal(curve.instants.items[0].bytes[OWNER_LIVE], 4 * MIB);
    assert_int_equal(curve.instants.items[0].heap_live_bytes, 4 * MIB + 4100);
    assert_int_equal(curve.instants.items[1].time_ns, 30 * SEC);
    assert_int_equal(curve.instants.items[1].bytes[OWNER_LIVE], MIB);
    assert_int_equal(curve.instants.items[1].bytes[OWNER_FILE], MIB);
    assert_int_equal(curve.instants.items[1].heap_live_bytes, 2 * MIB + MIB / 2 + 4100);
}

TEST(pages_alone_are_parts_of_their_own)
{
    put(1, COL_PAGES_0 + 2 * PAGE_ANON, 5 * MIB);
    put(1, COL_PAGES_0 + 2 * PAGE_CACHE, 50 * MIB); /* is not resident memory of the process */
    CHECK(owners_curve_build(sample.recording, 100, &curve, &fault) == 0);
    assert_int_equal(curve.part_count, PAGE_KINDS_RESIDENT);
    CHECK(strcmp(curve.words[0].metric, "pages.anon") == 0);
    assert_int_equal(curve.instants.count, 1);
    assert_int_equal(curve.instants.items[0].bytes[PAGE_ANON], 5 * MIB);
}

TEST(too_many_are_thinned_and_the_ends_stay)
{
    for (size_t bucket = 0; bucket < 3; bucket++)
        put(bucket, COL_RESIDENT_0 + 2 * OWNER_KEPT, MIB);
    CHECK(owners_curve_build(sample.recording, 2, &curve, &fault) == 0);
    assert_int_equal(curve.instants.count, 2);
    assert_int_equal(curve.instants.items[0].bytes[OWNER_KEPT], MIB);
    assert_int_equal(curve.instants.items[1].bytes[OWNER_KEPT], 3 * MIB);
}

TEST(nobody_looked)
{
    CHECK(owners_curve_build(sample.recording, 2, &curve, &fault) == 0);
    assert_int_equal(curve.instants.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_look_with_news_is_an_instant, begin, end),
        cmocka_unit_test_setup_teardown(pages_alone_are_parts_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(too_many_are_thinned_and_the_ends_stay, begin, end),
        cmocka_unit_test_setup_teardown(nobody_looked, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
