/* SPDX-License-Identifier: Apache-2.0 */
#include "base/pair_index.h"

#include "check.h"

TEST(pairs_get_numbers_in_the_order_they_come)
{
    struct pair_index index = {.slots = NULL};
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 50000; i++) {
            uint32_t number;
            CHECK(pair_index_find(&index, i / 7, i * 3, &number) == 0 && number == i);
        }
        pair_index_rest(&index);
        CHECK(!index.slots && index.pairs.count == 50000);
    }
    CHECK(index.pairs.count == 50000);
    CHECK(pair_first(index.pairs.items[49999]) == 49999 / 7);
    CHECK(pair_second(index.pairs.items[49999]) == 49999u * 3);
    pair_index_fini(&index);
    CHECK(index.pairs.count == 0);
}

TEST(a_pair_is_not_its_reverse)
{
    struct pair_index index = {.slots = NULL};
    uint32_t a, b, c;
    CHECK(pair_index_find(&index, 1, 2, &a) == 0);
    CHECK(pair_index_find(&index, 2, 1, &b) == 0);
    CHECK(pair_index_find(&index, 1, 2, &c) == 0);
    CHECK(a == 0 && b == 1 && c == 0);
    pair_index_fini(&index);
}

TEST(zero_and_the_largest_numbers_are_pairs_too)
{
    struct pair_index index = {.slots = NULL};
    uint32_t a, b;
    CHECK(pair_index_find(&index, 0, 0, &a) == 0 && a == 0);
    CHECK(pair_index_find(&index, UINT32_MAX, UINT32_MAX, &b) == 0 && b == 1);
    CHECK(pair_index_find(&index, 0, 0, &a) == 0 && a == 0);
    pair_index_fini(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_get_numbers_in_the_order_they_come),
        cmocka_unit_test(a_pair_is_not_its_reverse),
        cmocka_unit_test(zero_and_the_largest_numbers_are_pairs_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
