/* SPDX-License-Identifier: Apache-2.0 */
#include "base/vec.h"

#include "check.h"

typedef VEC(int) int_list;

static size_t count_below(const int_list *list, int limit)
{
    size_t count = 0;
    while (count < list->count && list->items[count] < limit)
        count++;
    return count;
}

/* Every length up to 40, with items that come several times, and every limit. */
TEST(lower_bound_is_what_a_walk_finds)
{
    int_list list = {0};
    for (int length = 0; length <= 40; length++) {
        for (int limit = -1; limit <= 42; limit++)
            CHECK(vec_lower_bound(&list, item, *item < limit) == count_below(&list, limit));
        CHECK(vec_push(&list, length / 3 * 3));
    }
    vec_free(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lower_bound_is_what_a_walk_finds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
