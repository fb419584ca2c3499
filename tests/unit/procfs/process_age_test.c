/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_age.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

TEST(the_name_may_have_anything_in_it)
{
    uint64_t ticks = 0;
    CHECK(process_age_parse("7 (a) b) (c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20\n",
                            &ticks) == 0);
    CHECK(ticks == 4711);
}

TEST(what_is_cut_is_refused)
{
    uint64_t ticks;
    CHECK(process_age_parse("", &ticks) == -EINVAL);
    CHECK(process_age_parse("7 (a", &ticks) == -EINVAL);
    CHECK(process_age_parse("7 (a) S 1 2 3", &ticks) == -EINVAL);
    CHECK(process_age_parse("7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 ", &ticks) ==
          -EINVAL);
}

TEST(we_began_a_moment_ago)
{
    uint64_t ticks, began;
    CHECK(process_age_read((uint32_t)getpid(), &ticks, &began) == 0);
    CHECK(ticks > 0 && began / 1000000000u <= (uint64_t)time(NULL) + 1);
    CHECK(process_age_read(INT32_MAX, &ticks, &began) == -ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_may_have_anything_in_it),
        cmocka_unit_test(what_is_cut_is_refused),
        cmocka_unit_test(we_began_a_moment_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
