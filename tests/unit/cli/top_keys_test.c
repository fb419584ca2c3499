/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top/top_keys.h"

#include <string.h>

#include "check.h"

static struct top_choice choice;
static struct top_surroundings around = {.rows = 100, .page = 10};

static int begin(void **state)
{
    (void)state;
    top_choice_init(&choice);
    return 0;
}

static int end(void **state)
{
    (void)state;
    top_choice_fini(&choice);
    return 0;
}

static void press(const char *keys)
{
    for (; *keys; keys++)
        top_choice_press(&choice, *keys, &around);
}

TEST(metrics_that_run_come_one_after_the_other_and_round)
{
    unsigned turns = 0;
    do {
        press("m");
        CHECK(choice.question.metric->kind != METRIC_PINNED);
        CHECK(strcmp(choice.question.metric->name, "heap.leaked") != 0);
        turns++;
    } while (strcmp(choice.question.metric->name, "heap.live") != 0 && turns < 100);
    CHECK(turns > 5 && turns < 100);
    press("m");
    assert_string_equal(choice.question.metric->name, "heap.allocated");
    press("M");
    assert_string_equal(choice.question.metric->name, "heap.live");
}

static bool has_calls(const void *with, const struct metric *metric)
{
    (void)with;
    return strcmp(metric->unit, "calls") == 0;
}

static bool has_nothing(const void *with, const struct metric *metric)
{
    (void)with, (void)metric;
    return false;
}

TEST(metrics_without_numbers_are_passed_over)
{
    struct top_surroundings const few = {.has = has_calls}, none = {.has = has_nothing};
    top_choice_press(&choice, 'm', &few);
    assert_string_equal(choice.question.metric->name, "heap.calls");
    top_choice_press(&choice, 'm', &none); /* wherever it ends, it ends */
    assert_non_null(choice.question.metric->name);
}

TEST(sort_by_freeze_mark_and_quit_have_their_keys)
{
    press("s");
    CHECK(choice.question.order == LIVE_BY_GROWTH);
    press("ss");
    CHECK(choice.question.order == LIVE_BY_VALUE);
    press("b");
    CHECK(choice.question.by == BY_LINE);
    press("bbb");
    CHECK(choice.question.by == BY_FUNCTION);
    press(" ");
    CHECK(choice.frozen);
    press("f");
    CHECK(!choice.frozen);
    press("k");
    CHECK(choice.marks);
    press("hq"); /* the first key after the help only leaves it */
    CHECK(!choice.shows_help && !choice.quits);
    press("q");
    CHECK(choice.quits);
}

TEST(a_filter_is_typed_taken_and_taken_away)
{
    press("/cachx\177e\n");
    CHECK(!choice.is_typing && choice.question.filter == choice.pattern);
    assert_string_equal(choice.filter, "cache");
    CHECK(pattern_matches(choice.question.filter, slice_of("my_cache_insert")));
    press("/q\033"); /* given up: letters were no commands meanwhile */
    CHECK(!choice.quits && !choice.is_typing);
    assert_string_equal(choice.filter, "cache");
    press("/\177\177\177\177\177\177\n");
    CHECK(choice.question.filter == NULL && choice.filter[0] == '\0');
}

TEST(a_filter_that_is_none_is_explained_and_may_be_mended)
{
    press("/good\n/\177\177\177\177(\n");
    CHECK(choice.is_typing && strstr(choice.message, "no regular expression"));
    assert_string_equal(choice.filter, "good"); /* the one before stays */
    press("x)\n");
    CHECK(!choice.is_typing && choice.message[0] == '\0');
    assert_string_equal(choice.filter, "(x)");
    press("/");
    for (int i = 0; i < 1000; i++)
        press("y");
    CHECK(strlen(choice.typed) < TOP_FILTER_MAX);
}

TEST(rows_scroll_between_the_first_and_the_last_page)
{
    top_choice_press(&choice, TOP_KEY_UP, &around);
    CHECK(choice.first_row == 0);
    top_choice_press(&choice, TOP_KEY_PAGE_DOWN, &around);
    top_choice_press(&choice, TOP_KEY_DOWN, &around);
    CHECK(choice.first_row == 11);
    for (int i = 0; i < 20; i++)
        top_choice_press(&choice, TOP_KEY_PAGE_DOWN, &around);
    CHECK(choice.first_row == 90);
    top_choice_press(&choice, TOP_KEY_PAGE_UP, &around);
    CHECK(choice.first_row == 80);
    top_choice_press(&choice, TOP_KEY_HOME, &around);
    CHECK(choice.first_row == 0);
    struct top_surroundings const few = {.rows = 3, .page = 10};
    top_choice_press(&choice, TOP_KEY_DOWN, &few);
    CHECK(choice.first_row == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(metrics_that_run_come_one_after_the_other_and_round, begin,
                                        end),
        cmocka_unit_test_setup_teardown(metrics_without_numbers_are_passed_over, begin, end),
        cmocka_unit_test_setup_teardown(sort_by_freeze_mark_and_quit_have_their_keys, begin, end),
        cmocka_unit_test_setup_teardown(a_filter_is_typed_taken_and_taken_away, begin, end),
        cmocka_unit_test_setup_teardown(a_filter_that_is_none_is_explained_and_may_be_mended, begin,
                                        end),
        cmocka_unit_test_setup_teardown(rows_scroll_between_the_first_and_the_last_page, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
