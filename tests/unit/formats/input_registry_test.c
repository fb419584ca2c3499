/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/input_registry.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "formats/open/unknown_file.h"

static const char *name_of(const char *head)
{
    return input_format_find(slice_of(head))->name;
}

TEST(files_are_known_by_how_they_begin)
{
    assert_string_equal(name_of("v 10400 3\nX ./program\n"), "heaptrack");
    assert_string_equal(name_of("PERFILE2"), "perf");
    assert_string_equal(name_of("desc: (none)\ncmd: ./program\ntime_unit: i\n"), "massif");
    assert_string_equal(name_of("# callgrind format\nversion: 1\n"), "callgrind");
    assert_string_equal(name_of("heap profile: 1: 64 [1: 64] @ heap/1048576\n"), "pprof");
}

TEST(what_no_row_knows_is_read_by_the_last)
{
    const struct input_format *format = input_format_find(slice_of("no such file"));
    assert_null(format->name);
    assert_non_null(format->read);
    assert_true(format->is_own && format->needs_plain);
}

TEST(the_sentence_lists_the_programs_of_the_table)
{
    struct fault fault = {.text = ""};
    assert_int_equal(unknown_file("x", slice_of("{}"), COMPRESS_NONE, &fault), -EINVAL);
    assert_non_null(strstr(fault.text, "looks like JSON"));
    assert_non_null(
        strstr(fault.text, "files of heaptrack, perf, massif, callgrind and pprof, and folders"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_known_by_how_they_begin),
        cmocka_unit_test(what_no_row_knows_is_read_by_the_last),
        cmocka_unit_test(the_sentence_lists_the_programs_of_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
