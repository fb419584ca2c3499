/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/thread_state.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "check.h"

static struct thread_state seen;

static int parse(const char *text)
{
    seen = (struct thread_state){.letter = 'S'};
    return thread_call_parse(text, &seen);
}

TEST(a_call_tells_what_it_waits_for)
{
    CHECK(parse("202 0x7f 0x80 0x2 0x0 0x0 0x0 0x7ffc 0x7f12\n") == -1);
    assert_string_equal(seen.call, "futex");
    assert_string_equal(seen.waits, "lock");
    CHECK(parse("0 0x5 0x7ffe 0x1 0x0 0x0 0x0 0x7ffc 0x7f12\n") == 5);
    assert_string_equal(seen.call, "read");
    CHECK(parse("999 0x1\n") == -1);
    assert_string_equal(seen.call, "system call 999");
    assert_string_equal(seen.waits, "");
}

TEST(no_call_is_none)
{
    static const char *const texts[] = {"running\n", "-1 0x7ffc 0x7f12\n", "", "\n", "x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        CHECK(parse(texts[i]) == -1);
        assert_string_equal(seen.call, "");
    }
}

TEST(odd_numbers_are_bounded)
{
    CHECK(parse("0 0xffffffffffffffff 0x0\n") == -1);
    CHECK(parse("99999999999999999999999999999 0x0\n") == -1);
    CHECK(strlen(seen.call) < sizeof(seen.call));
    CHECK(parse("0") == 0 || parse("0") == -1);
}

TEST(a_resumed_call_is_told_later)
{
    parse("219 0x7f\n");
    CHECK(thread_call_is_resumed(&seen));
    thread_call_set(&seen, 230);
    CHECK(!thread_call_is_resumed(&seen));
    assert_string_equal(seen.call, "clock_nanosleep");
    assert_string_equal(seen.waits, "sleep");
}

TEST(words_for_people)
{
    char text[96];
    parse("202 0x7f\n");
    thread_state_render(&seen, text, sizeof(text));
    assert_string_equal(text, "waits: lock, futex");
    seen.letter = 'R';
    thread_state_render(&seen, text, sizeof(text));
    assert_string_equal(text, "runs");
    seen = (struct thread_state){.letter = 'S'};
    thread_state_render(&seen, text, sizeof(text));
    assert_string_equal(text, "waits");
}

TEST(a_name_cannot_break_a_line)
{
    prctl(PR_SET_NAME, "ab\x1b[2J\"");
    thread_state_read((uint32_t)getpid(), (uint32_t)gettid(), &seen);
    CHECK(seen.letter == 'R');
    assert_string_equal(seen.name, "ab?[2J?");
}

TEST(one_that_is_gone_has_ended)
{
    char text[96];
    thread_state_read((uint32_t)getpid(), 1, &seen);
    CHECK(seen.letter == '\0' || getpid() == 1);
    thread_state_render(&seen, text, sizeof(text));
    assert_string_equal(text, "has ended");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_tells_what_it_waits_for),
        cmocka_unit_test(no_call_is_none),
        cmocka_unit_test(odd_numbers_are_bounded),
        cmocka_unit_test(words_for_people),
        cmocka_unit_test(a_resumed_call_is_told_later),
        cmocka_unit_test(a_name_cannot_break_a_line),
        cmocka_unit_test(one_that_is_gone_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
