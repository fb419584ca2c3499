/* SPDX-License-Identifier: Apache-2.0 */
#include "report/text/text_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "golden.h"
#include "report/rows/csv_report.h"
#include "report/text/doubt_text.h"
#include "report/rows/info.h"
#include "report/json/json_report.h"
#include "report/text/text_frame.h"
#include "report/text/text_line.h"
#include "sample_recording.h"

static struct sample sample;
static struct suppressions rules;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return suppressions_add_defaults(&rules);
}

static int end(void **state)
{
    (void)state;
    suppressions_fini(&rules);
    rules = (struct suppressions){0};
    sample_destroy(&sample);
    return 0;
}

static struct report_question ask(const char *metric)
{
    return (struct report_question){.metric = metric_find(metric),
                                    .range = TIME_ALL,
                                    .top = REPORT_NO_LIMIT,
                                    .depth = REPORT_NO_LIMIT,
                                    .suppressions = &rules};
}

enum form { AS_TEXT, AS_JSON, AS_CSV };

/* The answer as text; the caller frees it. */
static char *answer(struct report_question question, enum form form, struct text_style style)
{
    struct report report;
    struct fault fault = {0};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (report_prepare(sample.recording, &question, &report, &fault) < 0)
        fail_msg("%s", fault.text);
    if (form == AS_JSON)
        CHECK(json_report_write(&report, out) == 0);
    else if (form == AS_CSV)
        CHECK(csv_report_write(&report, out) == 0);
    else
        CHECK(text_report_write(&report, &style, out) == 0);
    report_fini(&report);
    fclose(out);
    return text;
}

static void check(struct report_question question, enum form form, const char *golden)
{
    char *text = answer(question, form, (struct text_style){.width = 100});
    golden_check(__FILE__, golden, text);
    free(text);
}

TEST(the_default_report_answers_where_the_memory_went)
{
    check(ask("heap.peak"), AS_TEXT, "peak.txt");
}

TEST(leaks_are_reported_with_what_was_suppressed)
{
    CHECK(suppressions_add(&rules, slice_of("leak:^walk$\n"), "my.supp", NULL) == 0);
    check(ask("heap.leaked"), AS_TEXT, "leaked.txt");
}

TEST(threads_have_suppressed_leaks_too)
{
    CHECK(suppressions_add(&rules, slice_of("leak:^walk$\n"), "my.supp", NULL) == 0);
    struct report_question question = ask("heap.leaked");
    question.by = BY_THREAD;
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "Suppressed leaks, which are in these rows"));
    free(text);
}

TEST(suppressions_leave_other_metrics_alone)
{
    CHECK(suppressions_add(&rules, slice_of("leak:*\n"), "my.supp", NULL) == 0);
    struct report report;
    struct report_question question = ask("heap.peak");
    CHECK(report_prepare(sample.recording, &question, &report, NULL) == 0);
    CHECK(report.whole_value == 11538436 && report.weights.rows.count == 4);
    CHECK(report.leaked_value == 0 && rules.value == 2625540);
    report_fini(&report);
}

TEST(functions_show_self_and_total)
{
    struct report_question question = ask("heap.calls");
    question.by = BY_FUNCTION;
    check(question, AS_TEXT, "by_function.txt");
}

TEST(threads_and_modules_are_tables)
{
    struct report_question question = ask("heap.peak");
    question.by = BY_THREAD;
    check(question, AS_TEXT, "by_thread.txt");
    question.by = BY_MODULE;
    check(question, AS_TEXT, "by_module.txt");
}

TEST(the_tree_goes_top_down)
{
    struct report_question question = ask("heap.allocated");
    question.top_down = true;
    question.threshold_given = true;
    check(question, AS_TEXT, "top_down.txt");
}

TEST(the_time_used_is_said)
{
    struct report_question question = ask("heap.live");
    question.range_given = true;
    question.range = (struct time_range){12000000000, 14000000000};
    check(question, AS_TEXT, "between.txt");
    question.range = (struct time_range){0, 5000000000};
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "heap.live: 4.00 MiB in 6 blocks, at 10.0 s"));
    free(text);
}

static bool says_other_time(struct report_question question)
{
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    bool const is_said = strstr(text, "warning: the recording has only longer time ranges");
    free(text);
    return is_said;
}

TEST(another_time_is_said_by_how_long_the_one_asked_for_is)
{
    struct report_question question = ask("heap.live");
    question.range_given = true;
    question.range = (struct time_range){0, 9200000000}; /* and is of 10 s */
    CHECK(!says_other_time(question));
    sample.recording->quality.coarsened = true;
    CHECK(!says_other_time(question));
    question.range.to_ns = 9001000000;
    CHECK(says_other_time(question));
    sample.recording->quality.coarsened = false;
    CHECK(!says_other_time(question));
    question.range = (struct time_range){10000000000, 19990000000};
    CHECK(!says_other_time(question));
    question.range = (struct time_range){19500000000, 19600000000};
    CHECK(says_other_time(question)); /* a hundred times as long */
}

TEST(a_mark_is_an_instant)
{
    struct report_question question = ask("heap.live");
    question.range_given = true;
    question.range = (struct time_range){10000000000, 19999000000};
    CHECK(!says_other_time(question));
    question.to_mark = true;
    CHECK(says_other_time(question));
    question.range = (struct time_range){10001000000, 20000000000};
    CHECK(!says_other_time(question));
    question.from_mark = true;
    CHECK(says_other_time(question));
    question.range.from_ns = 10000000000;
    CHECK(!says_other_time(question));
}

TEST(the_filter_narrows_rows_and_histogram)
{
    struct pattern *pattern;
    CHECK(pattern_compile("^handle$", PATTERN_ANYWHERE, NULL, &pattern, NULL) == 0);
    struct report_question question = ask("heap.calls");
    question.filter = pattern;
    question.filter_text = "^handle$";
    check(question, AS_TEXT, "filter.txt");
    question.histogram = HISTOGRAM_SIZES;
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "Sizes of 3,010 allocations") && strstr(text, "64 B to 128 B"));
    CHECK(!strstr(text, "Lifetimes"));
    free(text);
    question.by = BY_THREAD;
    struct report report;
    struct fault fault = {0};
    CHECK(report_prepare(sample.recording, &question, &report, &fault) == -EINVAL);
    CHECK(strstr(fault.text, "leave out the filter"));
    pattern_destroy(pattern);
}

TEST(top_and_threshold_cut_and_say_so)
{
    struct report_question question = ask("heap.peak");
    question.top = 1;
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "cache_insert") && !strstr(text, "libplugin") && strstr(text, "3 more"));
    free(text);
    question.top = REPORT_NO_LIMIT;
    question.threshold_given = true;
    question.threshold_share = 0.05;
    text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "walk") && !strstr(text, "libplugin") && strstr(text, "2 more"));
    free(text);
    question.threshold_share = 0;
    question.reverse = true;
    text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "tzset_internal") < strstr(text, "cache_insert"));
    free(text);
}

TEST(json_is_the_documented_interface)
{
    check(ask("heap.peak"), AS_JSON, "peak.json");
    struct report_question question = ask("heap.calls");
    question.by = BY_FUNCTION;
    question.histogram = HISTOGRAM_SIZES;
    question.top = 2;
    check(question, AS_JSON, "by_function_sizes.json");
    question = ask("heap.peak");
    question.by = BY_THREAD;
    check(question, AS_JSON, "by_thread.json");
}

TEST(csv_has_a_header_and_quotes)
{
    sample.recording->modules.items[0].path = recording_intern(sample.recording, "/opt/a,\"b\"");
    check(ask("heap.peak"), AS_CSV, "peak.csv");
}

static void add_doubts(struct recording *recording)
{
    struct trait go = {.kind = TRAIT_GO, .in_executable = true, .where = recording->program};
    struct trait jemalloc = {.kind = TRAIT_JEMALLOC,
                             .is_seen = true,
                             .where = recording_intern(recording, "/usr/lib/libjemalloc.so.2")};
    CHECK(vec_push(&recording->traits, go) && vec_push(&recording->traits, jemalloc));
    recording->anon_peak_bytes = 900 << 20;
}

TEST(a_report_says_what_it_cannot_contain)
{
    add_doubts(sample.recording);
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "  doubt       Go's own heap is not in the recording") &&
          strstr(text, "/debug/pprof/heap (malloc explains 11.0 MiB of 900 MiB resident memory)"));
    free(text);
}

TEST(every_doubt_is_a_sentence_of_its_own)
{
    static const enum trait_kind kinds[] = {
        TRAIT_GO,       TRAIT_JAVA,       TRAIT_V8,         TRAIT_PYTHON,
        TRAIT_OCAML,    TRAIT_NIM,        TRAIT_JEMALLOC,   TRAIT_TCMALLOC,
        TRAIT_MIMALLOC, TRAIT_OWN_MALLOC, TRAIT_OTHER_LIBC,
    };
    struct plausibility found = {0};
    struct text_line before = {0};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]) + DOUBT_KINDS - 1; i++) {
        struct trait trait = {.kind = TRAIT_GO};
        struct doubt doubt = {.kind = DOUBT_RUNTIME, .trait = &trait};
        if (i < sizeof(kinds) / sizeof(kinds[0]))
            trait.kind = kinds[i];
        else
            doubt = (struct doubt){
                (enum doubt_kind)(DOUBT_NOTHING + i - sizeof(kinds) / sizeof(kinds[0])), NULL};
        struct text_line line = {0};
        doubt_render(sample.recording, &found, &doubt, &line);
        CHECK(line.size > 40 && !strstr(line.text, "(null)") && doubt_key(doubt.kind));
        assert_string_not_equal(line.text, before.text);
        before = line;
    }
}

/* An allocator inside an addon of node is no JavaScript. */
TEST(addons_of_node_are_told_apart_from_javascript)
{
    struct trait trait = {.kind = TRAIT_V8};
    struct doubt const doubt = {.kind = DOUBT_RUNTIME, .trait = &trait};
    struct plausibility const found = {0};
    struct text_line without = {0}, with = {0};
    doubt_render(sample.recording, &found, &doubt, &without);
    CHECK(!strstr(without.text, "addons"));
    struct module const addon = {
        .path = recording_intern(sample.recording, "/app/node_modules/swc.linux-x64-gnu.node")};
    CHECK(vec_push(&sample.recording->modules, addon));
    doubt_render(sample.recording, &found, &doubt, &with);
    CHECK(strstr(with.text, "native addons such as swc.linux-x64-gnu.node are not in"));
}

TEST(info_tells_everything)
{
    struct recording *recording = sample.recording;
    add_doubts(recording);
    CHECK(vec_push(&recording->notes, recording_intern(recording, "a torn tail was left out")));
    struct info info = {.recording = recording, .file_bytes = 12345, .path = "x.memoir"};
    CHECK(findings_make(recording, &info.findings) == 0);
    struct text_style const style = {.width = 100};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    text_info_write(&info, &style, out);
    fclose(out);
    golden_check(__FILE__, "info.txt", text);
    free(text);
    out = open_memstream(&text, &size);
    CHECK(json_info_write(&info, out) == 0);
    fclose(out);
    golden_check(__FILE__, "info.json", text);
    free(text);
}

TEST(the_ladder_follows_the_length_of_buckets)
{
    struct recording *recording = recording_create();
    const uint64_t lengths[] = {60, 60, 10, 10, 10, 1, 1, 1, 0}; /* seconds */
    uint64_t const second = 1000000000;
    uint64_t at = 0;
    for (size_t i = 0; i < 9; at += second * lengths[i++])
        CHECK(vec_push(&recording->buckets,
                       (struct bucket){.begin_ns = at, .end_ns = at + second * lengths[i]}));
    struct rung rungs[RUNGS_MAX];
    CHECK(info_ladder(recording, rungs) == 3);
    CHECK(rungs[0].buckets == 2 && rungs[1].buckets == 3 && rungs[2].buckets == 4);
    CHECK(rungs[1].from_ns == 120 * second && rungs[1].to_ns == 150 * second);
    CHECK(rungs[0].bucket_ns == 60 * second);
    recording_destroy(recording);
}

TEST(names_cannot_steer_a_terminal)
{
    sample.recording->program =
        recording_intern(sample.recording, "evil\033[2J\xc2\x9b\x07name\xff");
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(strncmp(text, "evil?[2J??name\xef\xbf\xbd (pid", 21) == 0);
    CHECK(!strchr(text, '\033'));
    free(text);
}

TEST(colour_only_when_asked_for)
{
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){.color = true});
    CHECK(strstr(text, "\033[1m") && strstr(text, "\033[0m"));
    free(text);
}

/* Columns of the longest line. */
static size_t widest(const char *text)
{
    size_t most = 0;
    for (size_t at = 0; text[at];) {
        size_t columns = 0;
        for (; text[at] && text[at] != '\n'; at++)
            columns += ((unsigned char)text[at] & 0xc0) != 0x80;
        at += text[at] == '\n';
        most = columns > most ? columns : most;
    }
    return most;
}

TEST(a_narrow_terminal_is_kept_to)
{
    struct location *location = &sample.recording->locations.items[4];
    char name[301];
    memset(name, 'x', 300);
    name[300] = '\0';
    location->function = recording_intern(sample.recording, name);
    struct report_question question = ask("heap.peak");
    char *text = answer(question, AS_TEXT, (struct text_style){.width = 80});
    CHECK(strstr(text, "x…") && widest(text) <= 80);
    free(text);
    text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, name) != NULL);
    free(text);
}

TEST(an_empty_recording_has_an_empty_report)
{
    struct sample full = sample;
    sample.recording = recording_create();
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "heap.peak: 0 B in 0 blocks"));
    free(text);
    text = answer(ask("heap.leaked"), AS_JSON, (struct text_style){0});
    CHECK(strstr(text, "\"rows\": []"));
    free(text);
    recording_destroy(sample.recording);
    sample = full;
}

TEST(a_recording_that_grows_says_how_old_it_is)
{
    struct report_question question = ask("heap.live");
    sample.recording->being_written = true;
    sample.recording->quality.complete = false;
    sample.recording->written_unix_ns = 5000000000u;
    question.now_unix_ns = 5400000000u;
    char *text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "has run ") && strstr(text, ", still being written, as of 400 ms ago\n"));
    CHECK(strstr(text, " live now") && !strstr(text, "at the end"));
    CHECK(!strstr(text, "not ended in order"));
    free(text);
    question.now_unix_ns = 4000000000u; /* a clock that was set back */
    text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "as of 0 ns ago"));
    free(text);
    text = answer(question, AS_JSON, (struct text_style){0});
    CHECK(strstr(text, "\"being_written\": true") && strstr(text, "\"written\": 5000000000,"));
    free(text);

    sample.recording->being_written = false; /* its recorder was killed */
    text = answer(question, AS_TEXT, (struct text_style){0});
    CHECK(!strstr(text, "still being written") && strstr(text, "not ended in order"));
    free(text);
}

TEST(startup_code_is_told_by_name)
{
    CHECK(text_frame_is_startup("_start") &&
          text_frame_is_startup("__libc_start_main@@GLIBC_2.34"));
    CHECK(!text_frame_is_startup("start") && !text_frame_is_startup("_start_worker"));
}

TEST(a_line_never_overflows)
{
    struct text_line line = {0};
    for (int i = 0; i < 300; i++)
        line_add(&line, "0123456789");
    CHECK(strlen(line.text) == sizeof(line.text) - 1);
    line_add_name(&line, "more");
    CHECK(strlen(line.text) == sizeof(line.text) - 1);
    line = (struct text_line){0};
    for (int i = 0; i < 300; i++)
        line_add_name(&line, "ab\033\xe2\x82\xac");
    CHECK(strlen(line.text) < sizeof(line.text) && strncmp(line.text, "ab?\xe2\x82\xac", 6) == 0);
}

/* What is left after lost frees may be more than ever was resident: no number to begin with. */
static void an_impossible_number_gives_way_to_its_range(void **state)
{
    struct quality *quality = &sample.recording->quality;
    quality->lost_events = 10;
    quality->lost_bytes = quality->peak_doubt_bytes = quality->live_doubt_bytes = 4096;
    (void)state;
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(!strstr(text, "more than was resident") && strstr(text, "events were lost"));
    free(text);
    vec_each (bucket, &sample.recording->buckets)
        bucket->gauges.rss_bytes = 1;
    text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "peak        between "));
    CHECK(strstr(text, "leaked      between "));
    CHECK(strstr(text, "is more than was resident"));
    free(text);
}

static void lost_samples_are_lost_events(void **state)
{
    (void)state;
    sample.recording->timing = (struct timing){.hz = 1000, .samples = 5000, .lost = 892};
    char *text = answer(ask("heap.peak"), AS_TEXT, (struct text_style){0});
    CHECK(strstr(text, "892 of 6,916 events lost") && !strstr(text, "nothing lost"));
    free(text);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        CASE(the_default_report_answers_where_the_memory_went),
        CASE(leaks_are_reported_with_what_was_suppressed),
        CASE(threads_have_suppressed_leaks_too),
        CASE(suppressions_leave_other_metrics_alone),
        CASE(functions_show_self_and_total),
        CASE(threads_and_modules_are_tables),
        CASE(the_tree_goes_top_down),
        CASE(the_time_used_is_said),
        CASE(another_time_is_said_by_how_long_the_one_asked_for_is),
        CASE(a_mark_is_an_instant),
        CASE(the_filter_narrows_rows_and_histogram),
        CASE(top_and_threshold_cut_and_say_so),
        CASE(json_is_the_documented_interface),
        CASE(csv_has_a_header_and_quotes),
        CASE(a_report_says_what_it_cannot_contain),
        CASE(every_doubt_is_a_sentence_of_its_own),
        CASE(addons_of_node_are_told_apart_from_javascript),
        CASE(info_tells_everything),
        cmocka_unit_test(the_ladder_follows_the_length_of_buckets),
        CASE(names_cannot_steer_a_terminal),
        CASE(colour_only_when_asked_for),
        CASE(a_narrow_terminal_is_kept_to),
        CASE(an_empty_recording_has_an_empty_report),
        cmocka_unit_test_setup_teardown(a_recording_that_grows_says_how_old_it_is, begin, end),
        CASE(an_impossible_number_gives_way_to_its_range),
        CASE(lost_samples_are_lost_events),
        cmocka_unit_test(startup_code_is_told_by_name),
        cmocka_unit_test(a_line_never_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
