/* How what there is little of is shared out. */
#include "agent/fair_share.h"

#include "check.h"

#define PLACES 56u

/* How many of PLACES a user gets where others have `taken` already. */
static uint32_t gets(uint32_t user, uint32_t taken)
{
    struct share_count count = {.of_users = PLACES, .taken = taken};
    while (count.theirs < 1000 && is_fair_share(&count, user))
        share_count_one(&count, user, user);
    return count.theirs;
}

TEST(one_user_leaves_as_much_as_he_takes)
{
    assert_int_equal(gets(1000, 0), PLACES / 2);
}

TEST(many_users_all_get_some)
{
    uint32_t taken = 0;
    for (uint32_t user = 1; user <= 5; user++) {
        uint32_t const got = gets(user, taken);
        assert_true(got >= 1);
        taken += got;
        assert_true(taken <= PLACES);
    }
}

TEST(nothing_is_left)
{
    assert_int_equal(gets(1000, PLACES), 0);
    assert_int_equal(gets(1000, PLACES + 1), 0);
}

TEST(root_is_not_counted)
{
    struct share_count count = {.of_users = 2};
    for (int i = 0; i < 100; i++)
        share_count_one(&count, 0, 1000);
    assert_int_equal(count.taken, 0);
    assert_true(is_fair_share(&count, 1000));
    count.taken = 2;
    assert_true(is_fair_share(&count, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_user_leaves_as_much_as_he_takes),
        cmocka_unit_test(many_users_all_get_some),
        cmocka_unit_test(nothing_is_left),
        cmocka_unit_test(root_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
