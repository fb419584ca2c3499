/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/map_rows.h"

#include <string.h>

#include "check.h"

#define PAGE 4096u
#define TIB  ((uint64_t)1 << 40)

static struct breakdown breakdown;
static struct map_rows rows;

static int begin(void **state)
{
    (void)state;
    breakdown = (struct breakdown){0};
    return 0;
}

static int end(void **state)
{
    (void)state;
    map_rows_fini(&rows);
    breakdown_fini(&breakdown);
    return 0;
}

static void add(uint64_t start, uint64_t pages, uint64_t resident)
{
    struct memory_region const region = {
        .start = start,
        .end = start + pages * PAGE,
        .name = "",
        .bytes = {.size = pages * PAGE, .rss = resident * PAGE, .pss = resident * PAGE}};
    CHECK(vec_push(&breakdown.regions, region));
}

static struct memory_bytes sum(void)
{
    struct memory_bytes all = {0};
    vec_each (row, &rows.items)
        memory_bytes_add(&all, &row->bytes);
    return all;
}

TEST(few_mappings_have_a_row_each_and_gaps_between)
{
    add(0x1000, 2, 1);
    add(0x3000, 1, 0);
    add(100 * TIB, 4, 4);
    CHECK(map_rows_make(&breakdown, 0, SIZE_MAX, 10, &rows) == 0);
    assert_int_equal(rows.items.count, 3);
    CHECK(rows.items.items[0].gap == 0 && rows.items.items[1].gap == 0);
    CHECK(rows.items.items[2].gap == 100 * TIB - 0x4000);
    CHECK(rows.items.items[2].first == 2 && rows.items.items[2].count == 1);
}

TEST(many_are_put_together_and_the_sum_stays)
{
    for (uint64_t i = 0; i < 60000; i++)
        add(0x10000 + i * 2 * PAGE, 1, i % 2);
    breakdown.regions.items[30000].bytes.rss = 1000 * PAGE;
    breakdown.regions.items[30000].bytes.size = 1000 * PAGE;
    CHECK(map_rows_make(&breakdown, 0, SIZE_MAX, 100, &rows) == 0);
    CHECK(rows.items.count <= 100 && rows.items.count >= 3);
    CHECK(sum().rss == (30000 + 1000) * (uint64_t)PAGE);
    CHECK(sum().size == (59999 + 1000) * (uint64_t)PAGE);
    uint32_t next = 0;
    bool is_there = false;
    vec_each (row, &rows.items) {
        CHECK(row->first == next);
        next += row->count;
        is_there |= row->first == 30000 && row->count == 1;
    }
    CHECK(next == 60000 && is_there);
}

TEST(what_lies_far_apart_is_not_put_together)
{
    for (uint64_t i = 0; i < 50; i++)
        add(0x10000 + i * PAGE, 1, 0);
    for (uint64_t i = 0; i < 50; i++)
        add(100 * TIB + i * PAGE, 1, 0);
    CHECK(map_rows_make(&breakdown, 0, SIZE_MAX, 21, &rows) == 0);
    CHECK(rows.items.count <= 21);
    vec_each (row, &rows.items)
        CHECK(row->end - row->start <= 50 * PAGE);
}

TEST(far_apart_everywhere_is_still_bounded)
{
    for (uint64_t i = 0; i < 500; i++)
        add(i * TIB / 4, 1, i % 3);
    for (size_t most = 3; most < 40; most++) {
        CHECK(map_rows_make(&breakdown, 0, SIZE_MAX, most, &rows) == 0);
        CHECK(rows.items.count <= most);
        map_rows_fini(&rows);
    }
}

TEST(a_window_of_them)
{
    for (uint64_t i = 0; i < 100; i++)
        add(0x10000 + i * 2 * PAGE, 1, 1);
    CHECK(map_rows_make(&breakdown, 90, 50, 100, &rows) == 0);
    assert_int_equal(rows.items.count, 10);
    CHECK(rows.items.items[0].first == 90 && rows.items.items[0].gap == PAGE);
    map_rows_fini(&rows);
    CHECK(map_rows_make(&breakdown, 1000, 50, 100, &rows) == 0 && rows.items.count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(few_mappings_have_a_row_each_and_gaps_between, begin, end),
        cmocka_unit_test_setup_teardown(many_are_put_together_and_the_sum_stays, begin, end),
        cmocka_unit_test_setup_teardown(what_lies_far_apart_is_not_put_together, begin, end),
        cmocka_unit_test_setup_teardown(far_apart_everywhere_is_still_bounded, begin, end),
        cmocka_unit_test_setup_teardown(a_window_of_them, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
