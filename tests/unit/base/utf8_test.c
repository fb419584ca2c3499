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

TEST(what_turns_text_round_is_taken_out)
{
    /* U+061C, U+200F, U+2028, U+202A, U+202E, U+2066, U+2069 */
    assert_string_equal(tamed("a\xd8\x9c"
                              "b\xe2\x80\x8f"
                              "c\xe2\x80\xa8",
                              ""),
                        "a??b???c???");
    assert_string_equal(tamed("a\xe2\x80\xaa"
                              "b\xe2\x80\xae"
                              "c",
                              ""),
                        "a???b???c");
    assert_string_equal(tamed("a\xe2\x81\xa6"
                              "b\xe2\x81\xa9"
                              "c",
                              ""),
                        "a???b???c");
    /* their neighbours stay: U+061B, U+200D, U+2010, U+2027, U+202F, U+2065, U+206A */
    static const char stays[] = "\xd8\x9b\xe2\x80\x8d\xe2\x80\x90\xe2\x80\xa7\xe2\x80\xaf"
                                "\xe2\x81\xa5\xe2\x81\xaa";
    assert_string_equal(tamed(stays, ""), stays);
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
        cmocka_unit_test(what_turns_text_round_is_taken_out),
        cmocka_unit_test(sentences_about_names_are_tame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
