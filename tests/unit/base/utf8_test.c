/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <string.h>

#include "base/fault.h"
#include "check.h"

static const char *tamed(const char *text, const char *kept)
{
    static char copy[64];
    strcpy(copy, text);
    utf8_tame(copy, '?', kept);
    return copy;
}

TEST(what_moves_a_terminal_is_taken_out)
{
    assert_string_equal(tamed("plain name-1.0", ""), "plain name-1.0");
    assert_string_equal(tamed("gr\xc3\xbc\xc3\x9f e \xe2\x82\xac", ""),
                        "gr\xc3\xbc\xc3\x9f e \xe2\x82\xac");
    assert_string_equal(tamed("e\033[31mRED\007\177", ""), "e?[31mRED??");
    assert_string_equal(tamed("c1 \xc2\x9b 31m", ""), "c1 ?? 31m");
    assert_string_equal(tamed("raw \x9b 31m\xc3", ""), "raw ? 31m?");
    assert_string_equal(tamed("a\nb\tc\r", "\n\t"), "a\nb\tc?");
    assert_string_equal(tamed("a\nb", ""), "a?b");
}

TEST(sentences_about_names_are_tame)
{
    struct fault fault;
    fault_set(&fault, -1, "%s is stopped", "x\033]0;title\007");
    assert_string_equal(fault.text, "x?]0;title? is stopped");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_moves_a_terminal_is_taken_out),
        cmocka_unit_test(sentences_about_names_are_tame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
