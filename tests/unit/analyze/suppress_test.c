/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/suppress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "folded_recording.h"
#include "sample_recording.h"

static struct suppressions rules;

static int end(void **state)
{
    (void)state;
    suppressions_fini(&rules);
    rules = (struct suppressions){0};
    return 0;
}

TEST(patterns_are_found_anywhere_unless_tied)
{
    CHECK(suppression_matches("foo", "a foo b"));
    CHECK(!suppression_matches("foo", "a fo o"));
    CHECK(suppression_matches("^foo", "foobar") && !suppression_matches("^foo", "a foo"));
    CHECK(suppression_matches("bar$", "foobar") && !suppression_matches("bar$", "foobar2"));
    CHECK(suppression_matches("^foo$", "foo") && !suppression_matches("^foo$", "foo2"));
    CHECK(suppression_matches("^a*c$", "abbbc") && suppression_matches("^a*c$", "ac"));
    CHECK(suppression_matches("a*b*c", "xxaxxbxxcxx") && !suppression_matches("a*b*c", "cba"));
    CHECK(suppression_matches("ab$", "abab"));     /* the first place that fits is not the last */
    CHECK(suppression_matches("^*aab$", "aaaab")); /* going back inside a star */
    CHECK(suppression_matches("*", "") && suppression_matches("*", "x"));
    CHECK(!suppression_matches("x", ""));
    CHECK(suppression_matches("$5", "cost $5")); /* only the last $ ties */
}

TEST(a_hard_pattern_takes_no_time)
{
    char pattern[201], text[20001];
    for (int i = 0; i < 200; i += 2)
        memcpy(pattern + i, "a*", 2);
    pattern[199] = 'b';
    pattern[200] = '\0';
    memset(text, 'a', 20000);
    text[20000] = '\0';
    CHECK(!suppression_matches(pattern, text));
}

static int add(const char *text, struct fault *fault)
{
    return suppressions_add(&rules, slice_of(text), "my.supp", fault);
}

TEST(files_have_comments_blank_lines_and_spaces)
{
    CHECK(add("# known\n\n  leak:foo \r\nleak: ^bar$\n\t# more\nleak:last", NULL) == 0);
    CHECK(rules.rules.count == 3);
    assert_string_equal(rules.rules.items[0].pattern, "foo");
    assert_string_equal(rules.rules.items[1].pattern, "^bar$");
    CHECK(rules.rules.items[1].line == 4 && rules.rules.items[2].line == 6);
    assert_string_equal(rules.rules.items[2].pattern, "last");
}

TEST(a_bad_line_is_named)
{
    struct fault fault = {0};
    CHECK(add("leak:ok\nlaek:typo\nleak:after\nrace:x\n", &fault) == 2 && fault.offset == 2);
    CHECK(rules.rules.count == 2 && strcmp(rules.rules.items[1].pattern, "after") == 0);
    CHECK(rules.rules.items[1].line == 3);
    CHECK(strncmp(fault.text, "my.supp, line 2:", 16) == 0);
    CHECK(add("\n\nleak:\n", &fault) == 1 && fault.offset == 3);
    CHECK(add("leak:^$", &fault) == 1 && add("leak:   ", &fault) == 1);
    CHECK(add("race:foo", &fault) == 1);
}

static struct weights weigh_leaks(struct sample *sample)
{
    struct weights weights;
    CHECK(weigh_stacks(sample->recording, metric_find("heap.leaked"), TIME_ALL, &weights, NULL) ==
          0);
    return weights;
}

TEST(rules_hide_what_they_name_and_nothing_else)
{
    struct sample sample = sample_create();
    struct weights leaked = weigh_leaks(&sample);
    CHECK(suppressions_add_defaults(&rules) == 0);
    size_t const defaults = rules.rules.count;
    CHECK(add("leak:cache.c\nleak:^walk$\nleak:store_block\nleak:libplugin\n", NULL) == 0);
    CHECK(suppressions_apply(&rules, sample.recording, &leaked) == 0);
    CHECK(leaked.rows.count == 0 && leaked.total_value == 0 && leaked.total_count == 0);
    CHECK(rules.value == 2625540 && rules.count == 5);
    CHECK(rules.rules.items[defaults].value == 2097152); /* by file, of an inlined frame */
    CHECK(rules.rules.items[defaults + 1].value ==
          524288);                                        /* in the stack three times, once here */
    CHECK(rules.rules.items[defaults + 2].value == 0);    /* the first rule has the credit */
    CHECK(rules.rules.items[defaults + 3].value == 4000); /* by module */
    weights_fini(&leaked);
    sample_destroy(&sample);
}

TEST(the_first_rule_counts_wherever_its_frame_is)
{
    struct sample sample = sample_create();
    struct weights leaked = weigh_leaks(&sample);
    CHECK(add("leak:^_start$\nleak:^walk$\n", NULL) == 0);
    CHECK(suppressions_apply(&rules, sample.recording, &leaked) == 0);
    CHECK(rules.rules.items[0].value == 2625540 && rules.rules.items[1].value == 0);
    weights_fini(&leaked);
    sample_destroy(&sample);
}

TEST(the_defaults_leave_the_program_s_own_leaks)
{
    struct sample sample = sample_create();
    struct weights leaked = weigh_leaks(&sample);
    CHECK(suppressions_add_defaults(&rules) == 0);
    CHECK(suppressions_apply(&rules, sample.recording, &leaked) == 0);
    CHECK(rules.value == 100 && rules.count == 1 && leaked.rows.count == 3);
    CHECK(leaked.total_value == 2625440 && leaked.total_count == 4);
    weights_fini(&leaked);
    sample_destroy(&sample);
}

#define LOADER "/lib64/ld-linux-x86-64.so.2`_dl_init;/lib64/ld-linux-x86-64.so.2`call_init;"
#define STDCXX "/usr/lib/libstdc++.so.6`"
/* libstdc++'s reserve is made by a constructor without a name where that library is stripped. */
TEST(what_constructors_of_libstdcxx_keep_is_no_leak)
{
    struct recording *recording = folded_create();
    struct weights leaked;
    folded_add(recording, LOADER STDCXX, COL_HEAP_BYTES, 72704);
    folded_add(recording, "/lib/ld-2.31.so`;" STDCXX, COL_HEAP_BYTES, 1000);
    folded_add(recording, LOADER "constructor;" STDCXX "operator new", COL_HEAP_BYTES, 200);
    folded_add(recording, "start_thread;" STDCXX "execute;work", COL_HEAP_BYTES, 30);
    folded_add(recording, "/lib/ld-musl-x86_64.so.1`start;" STDCXX "execute;work", COL_HEAP_BYTES,
               4);
    CHECK(weigh_stacks(recording, metric_find("heap.leaked"), TIME_ALL, &leaked, NULL) == 0);
    CHECK(leaked.total_value == 73938);
    CHECK(suppressions_leave_out(recording, &leaked) == 0);
    CHECK(leaked.total_value == 234 && leaked.suppressed_value == 73704);
    weights_fini(&leaked);
    recording_destroy(recording);
}

TEST(leaks_are_the_same_in_every_view)
{
    struct sample sample = sample_create();
    struct weights leaked = weigh_leaks(&sample), live;
    CHECK(suppressions_leave_out(sample.recording, &leaked) == 0);
    CHECK(leaked.total_value == 2625440 && leaked.total_count == 4);
    CHECK(leaked.suppressed_value == 100 && leaked.suppressed_count == 1);
    CHECK(weigh_stacks(sample.recording, metric_find("heap.live"), TIME_ALL, &live, NULL) == 0);
    CHECK(suppressions_leave_out(sample.recording, &live) == 0);
    CHECK(live.total_value == 2625540 && live.suppressed_count == 0);
    weights_fini(&leaked);
    weights_fini(&live);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_found_anywhere_unless_tied),
        cmocka_unit_test(a_hard_pattern_takes_no_time),
        cmocka_unit_test_teardown(files_have_comments_blank_lines_and_spaces, end),
        cmocka_unit_test_teardown(a_bad_line_is_named, end),
        cmocka_unit_test_teardown(rules_hide_what_they_name_and_nothing_else, end),
        cmocka_unit_test_teardown(the_first_rule_counts_wherever_its_frame_is, end),
        cmocka_unit_test_teardown(the_defaults_leave_the_program_s_own_leaks, end),
        cmocka_unit_test(what_constructors_of_libstdcxx_keep_is_no_leak),
        cmocka_unit_test(leaks_are_the_same_in_every_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
