/* SPDX-License-Identifier: Apache-2.0 */
#include "base/allowance.h"

#include "check.h"

TEST(so_much_at_once_and_then_what_is_added)
{
    struct allowance allowance = {.most = 100};
    unsigned taken = 0;
    for (unsigned i = 0; i < 1000; i++)
        taken += allowance_try_spend(&allowance, 10);
    CHECK(taken == 10 && !allowance_is_left(&allowance));
    for (unsigned round = 0; round < 50; round++) {
        allowance_add(&allowance, 25);
        for (unsigned i = 0; i < 1000; i++)
            taken += allowance_try_spend(&allowance, 10);
    }
    CHECK(taken == 10 + 50 * 25 / 10);
    allowance_add(&allowance, UINT64_MAX); /* no more than the most is saved up */
    CHECK(allowance_try_spend(&allowance, 100) && !allowance_try_spend(&allowance, 1));
}

TEST(what_is_larger_than_all_takes_all)
{
    struct allowance allowance = {.most = 100};
    CHECK(allowance_try_spend(&allowance, UINT64_MAX) && !allowance_is_left(&allowance));
    allowance_add(&allowance, 99);
    CHECK(!allowance_try_spend(&allowance, UINT64_MAX));
    allowance_add(&allowance, 1);
    CHECK(allowance_try_spend(&allowance, UINT64_MAX));
}

TEST(what_was_done_already_is_spent)
{
    struct allowance allowance = {.most = 100};
    allowance_spend(&allowance, 99);
    CHECK(allowance_is_left(&allowance));
    allowance_spend(&allowance, 1000);
    CHECK(!allowance_is_left(&allowance));
    allowance_add(&allowance, 1);
    CHECK(allowance_is_left(&allowance));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_much_at_once_and_then_what_is_added),
        cmocka_unit_test(what_is_larger_than_all_takes_all),
        cmocka_unit_test(what_was_done_already_is_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
