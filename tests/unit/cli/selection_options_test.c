/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/selection_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)

static struct sample sample;
static struct selection selection;
static struct fault fault;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    selection_init(&selection);
    return 0;
}

static int end(void **state)
{
    (void)state;
    selection_fini(&selection);
    sample_destroy(&sample);
    return 0;
}

static int parse(char **argv)
{
    const struct option_set set = {"Choosing", selection_rules, &selection};
    int argc = 0;
    while (argv[argc])
        argc++;
    selection_fini(&selection);
    selection_init(&selection);
    fault = (struct fault){0};
    return options_parse(argc, argv, &set, 1, &fault);
}
#define PARSE(...) parse((char *[]){"cmd", __VA_ARGS__, NULL})

TEST(each_option_lands_in_its_field)
{
    CHECK(PARSE("--metric", "heap.leaked", "--by", "function", "--top", "7", "--threshold", "1.5%",
                "--json", "--reverse", "--top-down", "-o", "x.json", "--no-color", "file") == 1);
    assert_string_equal(selection.metric->name, "heap.leaked");
    CHECK(selection.by == BY_FUNCTION && selection.top == 7 && selection.json);
    CHECK(selection.reverse && selection.top_down && selection.no_color && !selection.csv);
    CHECK(selection.threshold_share == 0.015);
    assert_string_equal(selection.output, "x.json");
}

/* A command line says "--at", an address "at": sentences use what the person knows. */
TEST(sentences_use_the_name_that_was_given)
{
    for (size_t i = 0; selection_name(i); i++) {
        const char *name = selection_name(i);
        char option[32], wrong[] = "[x";
        snprintf(option, sizeof(option), "--%s", name);
        if (strcmp(name, "metric") == 0) /* which may be a recording's own */
            continue;
        CHECK(selection_parse(&selection, name, wrong, &fault) == -EINVAL);
        CHECK(strncmp(fault.text, name, strlen(name)) == 0 && !strstr(fault.text, "--"));
        CHECK(selection_parse(&selection, option, wrong, &fault) == -EINVAL);
        CHECK(strncmp(fault.text, option, strlen(option)) == 0);
    }
    struct time_range range;
    CHECK(selection_parse(&selection, "with-at", "99h", &fault) == 0 && selection.at_given);
    CHECK(selection_range(&selection, sample.recording, &range, &fault) == -EINVAL);
    CHECK(strncmp(fault.text, "with-at is past the end", 23) == 0);
    CHECK(selection_parse(&selection, "--no-such", "x", &fault) == -EINVAL);
}

TEST(defaults_ask_for_the_peak)
{
    CHECK(PARSE("file") == 1);
    assert_string_equal(selection.metric->name, "heap.peak");
    CHECK(!selection.metric_given && selection.by == BY_STACK);
    CHECK(selection.top == SELECTION_NO_TOP && !selection_is_small(&selection, 0, 100));
}

TEST(wrong_values_are_explained)
{
    CHECK(PARSE("--metric", "heap.leeked") == -EINVAL);
    assert_string_equal(fault.text,
                        "there is no metric \"heap.leeked\", did you mean heap.leaked?");
    CHECK(PARSE("--metric", "bogus", "file") == 1); /* the file may have it */
    CHECK(selection_find_metrics(&selection, sample.recording, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "heap.peak"));
    CHECK(PARSE("--by", "colour") == -EINVAL && strstr(fault.text, "stack, function"));
    CHECK(PARSE("--at", "noon") == -EINVAL && strstr(fault.text, "1h30m"));
    CHECK(PARSE("--at", "101%") == -EINVAL);
    CHECK(PARSE("--between", "3s") == -EINVAL && strstr(fault.text, "comma"));
    CHECK(PARSE("--filter", "a(") == -EINVAL && strstr(fault.text, "regular expression"));
    CHECK(PARSE("--top", "many") == -EINVAL && PARSE("--threshold", "x") == -EINVAL);
}

TEST(a_file_may_have_metrics_of_its_own)
{
    const struct metric *own = recording_add_metric(sample.recording, slice_of("goroutine"),
                                                    slice_of("count"), METRIC_LEVEL);
    CHECK(own && own->plus == COL_OWN_0);
    CHECK(recording_add_metric(sample.recording, slice_of("goroutine"), slice_of(""),
                               METRIC_LEVEL) == own);
    CHECK(PARSE("--metric", "goroutine", "file") == 1);
    CHECK(selection_find_metrics(&selection, sample.recording, &fault) == 0);
    CHECK(selection.metric == own);
    CHECK(PARSE("--metric", "threads", "file") == 1);
    CHECK(selection_find_metrics(&selection, sample.recording, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "goroutine"));
}

static struct time_range range(void)
{
    struct time_range found;
    if (selection_range(&selection, sample.recording, &found, &fault) < 0)
        fail_msg("%s", fault.text);
    return found;
}

TEST(times_are_counted_from_either_end)
{
    CHECK(PARSE("--at", "12s") == 0 && range().to_ns == 12 * SEC && range().from_ns == 0);
    CHECK(PARSE("--at", "-5s") == 0 && range().to_ns == 25 * SEC);
    CHECK(PARSE("--at", "50%") == 0 && range().to_ns == 15 * SEC);
    CHECK(PARSE("--at", "peak") == 0 && range().to_ns == 18 * SEC);
    CHECK(PARSE("--at", "end") == 0 && range().to_ns == 30 * SEC);
    CHECK(PARSE("--between", "5s,-5s") == 0);
    CHECK(range().from_ns == 5 * SEC && range().to_ns == 25 * SEC);
}

TEST(times_that_make_no_sense_are_refused)
{
    struct time_range unused;
    CHECK(PARSE("--at", "31s") == 0);
    CHECK(selection_range(&selection, sample.recording, &unused, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "30.0 s long"));
    CHECK(PARSE("--between", "9s,5s") == -EINVAL);
    CHECK(PARSE("--metric", "heap.leaked", "--at", "5s") == 0);
    CHECK(selection_range(&selection, sample.recording, &unused, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "heap.live"));
    CHECK(PARSE("--metric", "heap.leaked", "--at", "end") == 0 && range().to_ns == 30 * SEC);
}

TEST(the_filter_looks_at_function_module_and_file)
{
    struct weights weights;
    const struct {
        char *filter;
        int64_t total;
    } cases[] = {
        {"^cache_insert$", 10485760}, {"libplugin", 4000}, {"tree\\.c", 1048576},
        {"main", 11538436},           {"nothing", 0},      {"^(walk|store_block)$", 11534336}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        CHECK(PARSE("--filter", cases[i].filter) == 0);
        CHECK(selection_weigh(&selection, sample.recording, &weights, &fault) == 0);
        assert_int_equal(weights.total_value, cases[i].total);
        weights_fini(&weights);
    }
}

TEST(the_default_metric_is_one_the_recording_has)
{
    struct recording *recording = sample.recording;
    uint64_t const pins = recording->pins.count, peak_ns = recording->heap.peak_time_ns;
    CHECK(PARSE("--top", "3") == 0);
    CHECK(selection_choose_metric(&selection, recording) == NULL);
    assert_string_equal(selection.metric->name, "heap.peak");
    recording->being_written = true; /* still the peak, as long as its picture is the latest */
    CHECK(selection_choose_metric(&selection, recording) == NULL);
    assert_string_equal(selection.metric->name, "heap.peak");
    recording->heap.peak_time_ns = peak_ns + SEC;
    CHECK(strstr(selection_choose_metric(&selection, recording), "live now"));
    assert_string_equal(selection.metric->name, "heap.live");

    recording->being_written = false;
    recording->pins.count = 0;
    CHECK(PARSE("--top", "3") == 0);
    CHECK(strstr(selection_choose_metric(&selection, recording), "missing"));
    assert_string_equal(selection.metric->name, "heap.live");
    CHECK(PARSE("--metric", "heap.peak") == 0);
    CHECK(selection_choose_metric(&selection, recording) == NULL);
    assert_string_equal(selection.metric->name, "heap.peak"); /* asked for is asked for */
    recording->pins.count = pins;
    recording->heap.peak_time_ns = peak_ns;
    CHECK(PARSE("--at", "5s") == 0);
    CHECK(selection_choose_metric(&selection, recording) == NULL);
    assert_string_equal(selection.metric->name, "heap.live");
}

TEST(the_threshold_is_a_share_or_a_value)
{
    CHECK(PARSE("--threshold", "10%") == 0);
    CHECK(selection_is_small(&selection, 9, 100) && !selection_is_small(&selection, -10, 100));
    CHECK(PARSE("--threshold", "1K") == 0);
    CHECK(selection_is_small(&selection, 1023, 0) && !selection_is_small(&selection, 1024, 0));
}

/* Buckets of the sample end at 10, 20 and 30 s. */
static void add_marks(void)
{
    struct mark_list *marks = &sample.recording->marks;
    string_id block = recording_intern(sample.recording, "block 1");
    string_id phase = recording_intern(sample.recording, "compaction, \033[31mred");
    marks_add(marks, MARK_INSTANT, block, 10 * SEC);
    marks_add(marks, MARK_BEGIN, phase, 10 * SEC);
    marks_add(marks, MARK_END, phase, 20 * SEC);
    marks_add(marks, MARK_INSTANT, block, 20 * SEC);
    marks_add(marks, MARK_INSTANT, recording_intern(sample.recording, "a#1"), 30 * SEC);
}

static int range_of(const char *option, const char *argument, struct time_range *range)
{
    CHECK(PARSE((char *)option, (char *)argument) == 0);
    selection.metric = metric_find("heap.live");
    return selection_range(&selection, sample.recording, range, &fault);
}

TEST(marks_and_phases_are_times)
{
    struct time_range range;
    add_marks();
    CHECK(range_of("--at", "mark:block 1", &range) == 0 && range.to_ns == 10 * SEC);
    CHECK(range_of("--at", "mark:block 1#2", &range) == 0 && range.to_ns == 20 * SEC);
    CHECK(range_of("--at", "mark:block 1#last", &range) == 0 && range.to_ns == 20 * SEC);
    CHECK(range_of("--at", "phase:block 1", &range) == 0 && range.to_ns == 10 * SEC);
    CHECK(range_of("--at", "mark:a#1", &range) == 0 && range.to_ns == 30 * SEC);
    CHECK(range_of("--at", "phase-end:compaction, \033[31mred", &range) == 0 &&
          range.to_ns == 20 * SEC);
    CHECK(range_of("--between", "mark:block 1,mark:block 1#2", &range) == 0 &&
          range.from_ns == 10 * SEC && range.to_ns == 20 * SEC);
    CHECK(range_of("--between", "mark:block 1,25s", &range) == 0 && range.to_ns == 25 * SEC);
    CHECK(range_of("--between", "phase:compaction, \033[31mred", &range) == 0 &&
          range.from_ns == 10 * SEC && range.to_ns == 20 * SEC);
    CHECK(range_of("--between", "phase:compaction, \033[31mred,mark:a#1", &range) == 0 &&
          range.from_ns == 10 * SEC && range.to_ns == 30 * SEC);
    CHECK(range_of("--between", "mark:block 1", &range) == 0 && range.to_ns == 20 * SEC);
}

TEST(names_that_are_not_there_are_said_and_do_not_steer_a_terminal)
{
    struct time_range range;
    CHECK(range_of("--at", "mark:x", &range) == -EINVAL && strstr(fault.text, "no marks"));
    add_marks();
    CHECK(range_of("--at", "mark:block 11", &range) == -EINVAL);
    CHECK(strstr(fault.text, "did you mean \"block 1\"?"));
    CHECK(range_of("--at", "mark:block 1#3", &range) == -EINVAL);
    CHECK(range_of("--at", "mark:compaction, [31mred", &range) == -EINVAL);
    CHECK(strstr(fault.text, "did you mean") && !strchr(fault.text, 27));
    CHECK(range_of("--at", "mark:something else entirely", &range) == -EINVAL);
    CHECK(strstr(fault.text, "--by phase"));
    CHECK(PARSE("--between", "10s") == -EINVAL && strstr(fault.text, "comma"));
    CHECK(PARSE("--at", "mark:") == -EINVAL && PARSE("--between", "mark:a") == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(marks_and_phases_are_times, begin, end),
        cmocka_unit_test_setup_teardown(
            names_that_are_not_there_are_said_and_do_not_steer_a_terminal, begin, end),
        cmocka_unit_test_setup_teardown(each_option_lands_in_its_field, begin, end),
        cmocka_unit_test_setup_teardown(sentences_use_the_name_that_was_given, begin, end),
        cmocka_unit_test_setup_teardown(defaults_ask_for_the_peak, begin, end),
        cmocka_unit_test_setup_teardown(wrong_values_are_explained, begin, end),
        cmocka_unit_test_setup_teardown(a_file_may_have_metrics_of_its_own, begin, end),
        cmocka_unit_test_setup_teardown(times_are_counted_from_either_end, begin, end),
        cmocka_unit_test_setup_teardown(times_that_make_no_sense_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_filter_looks_at_function_module_and_file, begin, end),
        cmocka_unit_test_setup_teardown(the_default_metric_is_one_the_recording_has, begin, end),
        cmocka_unit_test_setup_teardown(the_threshold_is_a_share_or_a_value, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
