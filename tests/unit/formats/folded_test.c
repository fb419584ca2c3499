/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "export_to.h"
#include "sample_recording.h"

static void check_folded(struct export_job job, const char *want)
{
    struct sample sample = sample_create();
    struct fault fault = {.text = ""};
    size_t size;
    job.recording = sample.recording;
    char *text = export_to_memory("folded", &job, &size, &fault);
    if (!text)
        fail_msg("%s", fault.text);
    assert_string_equal(text, want);
    free(text);
    sample_destroy(&sample);
}

/* Sorted, outermost first, the inlined cache_insert inside store_block, nothing with zero. */
static void the_peak_is_folded_by_default(void **state)
{
    (void)state;
    check_folded((struct export_job){.range = TIME_ALL},
                 "_start;main;handle;store_block;cache_insert 10485760\n"
                 "_start;main;libplugin.so+0x1234 4000\n"
                 "_start;main;tzset_internal 100\n"
                 "_start;main;walk;walk;walk 1048576\n");
}

static void metric_range_and_filter_are_obeyed(void **state)
{
    (void)state;
    struct pattern *parse;
    assert_int_equal(pattern_compile("parse|plugin", PATTERN_ANYWHERE, NULL, &parse, NULL), 0);
    check_folded((struct export_job){.metric = metric_find("heap.calls"),
                                     .range = {0, UINT64_C(10000000000)},
                                     .filter = parse},
                 "_start;main;handle;parse 1000\n"
                 "_start;main;libplugin.so+0x1234 1\n");
    pattern_destroy(parse);
}

static void names_cannot_break_lines_and_equal_stacks_are_one(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct recording *recording = sample.recording;
    vec_each (location, &recording->locations)
        if (strcmp(recording_text(recording, location->function), "walk") == 0 ||
            strcmp(recording_text(recording, location->function), "tzset_internal") == 0)
            location->function = recording_intern(recording, "f<a;b>\n()");
    struct export_job job = {
        .recording = recording, .range = TIME_ALL, .metric = metric_find("heap.leaked")};
    size_t size;
    char *text = export_to_memory("folded", &job, &size, NULL);
    assert_non_null(text);
    assert_string_equal(text, "_start;main;f<a:b> () 100\n"
                              "_start;main;f<a:b> ();f<a:b> ();f<a:b> () 524288\n"
                              "_start;main;handle;store_block;cache_insert 2097152\n"
                              "_start;main;libplugin.so+0x1234 4000\n");
    free(text);
    sample_destroy(&sample);
}

static void what_shrank_is_left_out_and_said(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording,
                             .metric = metric_find("heap.live"),
                             .range = {UINT64_C(20000000000), UINT64_MAX}};
    size_t size;
    char *text = export_to_memory("folded", &job, &size, NULL);
    assert_non_null(text);
    assert_string_equal(text, "");
    assert_int_equal(job.notes.count, 1);
    free(text);
    sample_destroy(&sample);
}

static void a_range_before_the_peak_is_refused_with_a_sentence(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    struct export_job job = {.recording = sample.recording, .range = {0, 1000}};
    struct fault fault = {.text = ""};
    size_t size;
    assert_null(export_to_memory("folded", &job, &size, &fault));
    assert_non_null(strstr(fault.text, "peak"));
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_peak_is_folded_by_default),
        cmocka_unit_test(metric_range_and_filter_are_obeyed),
        cmocka_unit_test(names_cannot_break_lines_and_equal_stacks_are_one),
        cmocka_unit_test(what_shrank_is_left_out_and_said),
        cmocka_unit_test(a_range_before_the_peak_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
