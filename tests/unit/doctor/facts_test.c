/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/machine_facts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "doctor/libc_build_id.h"
#include "doctor/package_names.h"

TEST(permissions_come_from_the_status_file)
{
    struct permissions const permissions =
        permissions_parse(slice_of("Name:\tUid: 7\nUid:\t1000\t1001\t1002\t1003\n"
                                   "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n"
                                   "CapEff:\t0000000000080000\nCapBnd:\t000001ffffffffff\n"));
    CHECK(permissions.uid == 1001);
    CHECK(permissions.seccomp == 2 && permissions.no_new_privileges);
    CHECK(permissions_have(&permissions, 19) && !permissions_have(&permissions, 18));
    CHECK(permissions_could(&permissions, 40) && !permissions_could(&permissions, 41));
    CHECK(!permissions_have(&permissions, 200));
}

TEST(a_status_file_that_says_nothing_permits_nothing)
{
    static const char *const texts[] = {"", "\n", "CapEff", "CapEff:", "CapEff:\tx\n", "Uid:\t9"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct permissions const permissions = permissions_parse(slice_of(texts[i]));
        CHECK(permissions.effective == 0 && permissions.uid == 0 && permissions.seccomp == 0);
    }
}

TEST(os_release_values_lose_their_quotes)
{
    struct slice const text = slice_of("ID_LIKE=x\nPRETTY_NAME=\"Some System 1\"\nID=some\nEMPTY=\n"
                                       "ONE=\"\nLAST='a'");
    char value[16] = "before";
    os_release_value(text, "NOTHING", value, sizeof(value));
    assert_string_equal(value, "before");
    os_release_value(text, "PRETTY_NAME", value, sizeof(value));
    assert_string_equal(value, "Some System 1");
    os_release_value(text, "ID", value, sizeof(value));
    assert_string_equal(value, "some");
    os_release_value(text, "ONE", value, sizeof(value));
    assert_string_equal(value, "\"");
    os_release_value(text, "LAST", value, sizeof(value));
    assert_string_equal(value, "a");
    os_release_value(text, "PRETTY_NAME", value, 5);
    assert_string_equal(value, "Some");
}

TEST(an_unknown_system_has_commands_too)
{
    CHECK(strstr(package_names_of("debian")->libc_debug, "libc6-dbg") != NULL);
    CHECK(package_names_of("")->libc_debug[0] != '\0');
    CHECK(package_names_of("no such system") == package_names_of(""));
}

TEST(this_machine_can_be_looked_at)
{
    struct machine_facts facts;
    char build_id[BUILD_ID_TEXT_MAX];
    machine_facts_read(&facts, ".");
    CHECK(facts.kernel[0] && facts.architecture[0]);
    CHECK(facts.tried[FEATURE_MEMFD] == 0); /* the tests of the recorder need it, too */
    CHECK(facts.folder[0] == '/');
    CHECK(facts.permissions.uid == geteuid());
    if (facts.glibc[0])
        CHECK(libc_build_id(build_id) == 0 && strlen(build_id) >= 16);
}

TEST(a_folder_that_is_not_there_is_told)
{
    struct machine_facts facts;
    machine_facts_read(&facts, "/no/such/folder");
    CHECK(facts.folder_err == -ENOENT);
    assert_string_equal(facts.folder, "/no/such/folder");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permissions_come_from_the_status_file),
        cmocka_unit_test(a_status_file_that_says_nothing_permits_nothing),
        cmocka_unit_test(os_release_values_lose_their_quotes),
        cmocka_unit_test(an_unknown_system_has_commands_too),
        cmocka_unit_test(this_machine_can_be_looked_at),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
