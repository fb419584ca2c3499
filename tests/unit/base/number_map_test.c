/* SPDX-License-Identifier: Apache-2.0 */
#include "base/number_map.h"

#include <stdlib.h>

#include "check.h"

#define KEYS 3000u

TEST(an_empty_map_has_nothing)
{
    struct number_map map = {.items = NULL};
    CHECK(number_map_get(&map, 5) == 0);
    CHECK(number_map_remove(&map, 5) == 0);
    number_map_fini(&map);
}

TEST(what_is_put_in_is_found_until_it_is_taken_out)
{
    static uint32_t expected[KEYS];
    struct number_map map = {.items = NULL};
    uint32_t random = 1, held = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t key = random >> 8 & 0xfff;
        if (key == 0 || key >= KEYS)
            continue;
        CHECK(number_map_get(&map, key << 20) == expected[key]);
        if (random >> 28 < 9) {
            held += expected[key] == 0;
            *number_map_at(&map, key << 20) = expected[key] = i + 1;
        } else {
            held -= expected[key] != 0;
            CHECK(number_map_remove(&map, key << 20) == expected[key]);
            expected[key] = 0;
        }
        CHECK(map.count == held);
    }
    for (uint32_t key = 1; key < KEYS; key++)
        CHECK(number_map_get(&map, key << 20) == expected[key]);
    CHECK(map.room >= 2 * map.count);
    number_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(what_is_put_in_is_found_until_it_is_taken_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
