/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/invoked_path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static char folder[PATH_MAX], real[PATH_MAX + 8], link_name[PATH_MAX + 8];

static int begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/memoir-invoked-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(real, sizeof(real), "%s/real", folder);
    snprintf(link_name, sizeof(link_name), "%s/called", folder);
    FILE *file = fopen(real, "w");
    assert_non_null(file);
    fclose(file);
    return symlink("real", link_name);
}

static int end(void **state)
{
    (void)state;
    unlink(real);
    unlink(link_name);
    return rmdir(folder);
}

static void check_path(const char *word, const char *expected)
{
    char path[PATH_MAX];
    program_invoked_path(real, word, 0, path, sizeof(path));
    assert_string_equal(path, expected);
}

TEST(a_link_is_what_it_was_called_by)
{
    char word[PATH_MAX + 32];
    check_path(link_name, link_name);
    check_path("called", link_name);
    check_path("called *:6379", link_name); /* a title */
    snprintf(word, sizeof(word), "%s: worker process", link_name);
    check_path(word, link_name);
    check_path(real, real);
    assert_int_equal(chdir(folder), 0);
    check_path("./called", link_name);
    assert_int_equal(chdir("/"), 0);
    snprintf(word, sizeof(word), ".%s", link_name);
    check_path(word, link_name);
}

/* Programs say what they like there. */
TEST(what_leads_elsewhere_is_no_name)
{
    check_path("", real);
    check_path("sh", real);
    check_path("-called", real);
    check_path("nothing/called/", real);
    check_path("/bin/sh", real);
}

TEST(a_process_is_asked)
{
    char path[PATH_MAX], own[PATH_MAX];
    ssize_t const length = readlink("/proc/self/exe", own, sizeof(own) - 1);
    own[length > 0 ? length : 0] = '\0';
    process_invoked_path((uint32_t)getpid(), path, sizeof(path));
    assert_string_equal(path, own);
    process_invoked_path(UINT32_MAX, path, sizeof(path));
    assert_string_equal(path, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_what_it_was_called_by),
        cmocka_unit_test(what_leads_elsewhere_is_no_name),
        cmocka_unit_test(a_process_is_asked),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
