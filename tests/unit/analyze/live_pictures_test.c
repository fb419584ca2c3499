/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/live_pictures.h"

#include "check.h"

#define S UINT64_C(1000000000)

static void add(struct live_pictures *pictures, uint64_t second, int64_t first, int64_t second_has)
{
    struct cell cells[] = {{.key = 9, .value = second_has}, {.key = 4, .value = first}};
    CHECK(live_pictures_add(pictures, second * S, cells, 2) == 0);
}

static int64_t before(const struct live_pictures *pictures, uint64_t time_ns, uint32_t key)
{
    return live_picture_value(live_pictures_at(pictures, time_ns), key);
}

TEST(what_a_stack_had_then)
{
    struct live_pictures pictures = {0};
    CHECK(live_pictures_is_due(&pictures, 0));
    CHECK(before(&pictures, 7 * S, 4) == 0);
    add(&pictures, 10, 100, 1000);
    CHECK(!live_pictures_is_due(&pictures, 12 * S) && live_pictures_is_due(&pictures, 15 * S));
    add(&pictures, 20, 200, 1000);
    CHECK(before(&pictures, 5 * S, 4) == 100);
    CHECK(before(&pictures, 19 * S, 4) == 100);
    CHECK(before(&pictures, 20 * S, 4) == 200);
    CHECK(before(&pictures, 99 * S, 9) == 1000);
    CHECK(before(&pictures, 99 * S, 5) == 0);
    live_pictures_fini(&pictures);
}

TEST(old_ones_thin_out_and_the_first_stays)
{
    struct live_pictures pictures = {0};
    unsigned taken = 0;
    for (uint64_t second = 0; second < 100000; second++)
        if (live_pictures_is_due(&pictures, second * S)) {
            add(&pictures, second, (int64_t)second, 1);
            taken++;
        }
    CHECK(pictures.count > LIVE_PICTURES_MAX / 2 - 1 && pictures.count <= LIVE_PICTURES_MAX);
    CHECK(taken < 200);
    CHECK(before(&pictures, 0, 4) == 0 && pictures.items[0].time_ns == 0);
    int64_t const then = before(&pictures, 50000 * S, 4);
    CHECK(then > 40000 && then <= 50000);
    live_pictures_fini(&pictures);
}

TEST(only_the_largest_are_kept)
{
    static struct cell cells[LIVE_PICTURE_STACKS + 100];
    struct live_pictures pictures = {0};
    for (uint32_t i = 0; i < LIVE_PICTURE_STACKS + 100; i++)
        cells[i] = (struct cell){.key = i, .value = (int64_t)i + 1};
    CHECK(live_pictures_add(&pictures, 0, cells, LIVE_PICTURE_STACKS + 100) == 0);
    CHECK(before(&pictures, 0, 99) == 0);
    CHECK(before(&pictures, 0, 100) == 101);
    live_pictures_fini(&pictures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_stack_had_then),
        cmocka_unit_test(old_ones_thin_out_and_the_first_stays),
        cmocka_unit_test(only_the_largest_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
