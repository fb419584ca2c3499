/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/name_columns.h"

#include "check.h"

#define COLUMNS(least, ...)                                                                        \
    name_columns((const char *[]){__VA_ARGS__},                                                    \
                 sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), least)

TEST(names_that_differ_early_keep_the_width)
{
    CHECK(COLUMNS(8, "r1", "r2", "n1") == 8);
    CHECK(COLUMNS(8, "a-very-long-name-of-a-node", "b-very-long-name-of-a-node") == 8);
    CHECK(COLUMNS(8, "the same name twice", "the same name twice") == 8);
    CHECK(name_columns(NULL, 0, 8) == 8);
}

TEST(names_that_differ_late_are_shown_up_to_there)
{
    CHECK(COLUMNS(8, "nonParticipatingNode1", "relay1", "nonParticipatingNode2") == 21);
    CHECK(COLUMNS(8, "validator-1-of-the-eu-zone", "validator-2-of-the-eu-zone") == 12);
    CHECK(COLUMNS(8, "12345678", "123456789") == 9);
    CHECK(COLUMNS(4,
                  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                  "1",
                  "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
                  "2") == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_that_differ_early_keep_the_width),
        cmocka_unit_test(names_that_differ_late_are_shown_up_to_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
