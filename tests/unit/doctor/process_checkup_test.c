/* SPDX-License-Identifier: Apache-2.0 */
#include "doctor/process_checkup.h"

#include <string.h>

#include "check.h"

static struct checkup checkup;

static struct process_examined good_process(void)
{
    return (struct process_examined){.pid = 42,
                                     .name = "node",
                                     .path = "/usr/bin/node",
                                     .state = 'S',
                                     .bits = 64,
                                     .loader = "/lib64/ld-linux-x86-64.so.2",
                                     .libc = "glibc 2.36",
                                     .knows_namespaces = true};
}

static const struct check *judged(const struct process_examined *process, const char *name)
{
    checkup.count = 0;
    process_checkup_judge(&checkup, process);
    const struct check *check = checkup_find(
        &checkup, strcmp(name, "attach") == 0 || strcmp(name, "pages") == 0 ? "works" : "process",
        name);
    assert_non_null(check);
    return check;
}

TEST(a_good_process_can_be_attached_to)
{
    struct process_examined const process = good_process();
    CHECK(judged(&process, "attach")->state == CHECK_OK);
    assert_string_equal(judged(&process, "attach")->command, "memoir attach 42");
    for (size_t i = 0; i < checkup.count; i++)
        CHECK(checkup.checks[i].state == CHECK_OK || checkup.checks[i].state == CHECK_NOTE);
}

TEST(what_stands_in_the_way_is_said_and_shown)
{
    struct process_examined process = good_process();
    strcpy(process.obstacle, "it is static");
    process.is_static = true;
    CHECK(judged(&process, "attach")->state == CHECK_MISSING);
    assert_string_equal(judged(&process, "attach")->found, "it is static");
    assert_string_equal(judged(&process, "attach")->command, "");
    CHECK(judged(&process, "linking")->state == CHECK_MISSING);
    process.bits = 32;
    CHECK(judged(&process, "width")->state == CHECK_MISSING);
    strcpy(process.libc, "musl");
    CHECK(judged(&process, "libc")->state == CHECK_MISSING);
    process.tracer = 7;
    CHECK(strstr(judged(&process, "traced")->found, "process 7") != NULL);
    process.state = 'T';
    CHECK(judged(&process, "state")->state == CHECK_LIMITED);
}

TEST(pages_need_no_way_into_the_process)
{
    struct process_examined process = good_process();
    process.is_static = true;
    strcpy(process.obstacle, "it is static");
    CHECK(judged(&process, "pages")->state == CHECK_OK);
    assert_string_equal(judged(&process, "pages")->command, "memoir pages 42");
    process.user = 5;
    process.our_user = 6;
    CHECK(judged(&process, "pages")->state == CHECK_LIMITED);
    assert_string_equal(judged(&process, "pages")->command, "sudo memoir pages 42");
    process.our_user = 0;
    CHECK(judged(&process, "pages")->state == CHECK_OK);
    process.state = 'Z';
    CHECK(judged(&process, "pages")->state == CHECK_MISSING);
}

TEST(a_container_is_told_by_what_differs)
{
    struct process_examined process = good_process();
    assert_string_equal(judged(&process, "namespaces")->found, "the same as those of memoir");
    process.other_mounts = process.other_pids = true;
    process.inner_pid = 1;
    assert_string_equal(judged(&process, "namespaces")->found,
                        "its own: files processes; its PID there is 1");
    process.knows_namespaces = false;
    assert_string_equal(judged(&process, "namespaces")->found, "you may not see them");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_process_can_be_attached_to),
        cmocka_unit_test(what_stands_in_the_way_is_said_and_shown),
        cmocka_unit_test(pages_need_no_way_into_the_process),
        cmocka_unit_test(a_container_is_told_by_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
