/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "analyze/alerts/findings.h"
#include "analyze/sums/weigh.h"
#include "check.h"
#include "export_to.h"
#include "formats/shared/readers.h"
#include "random_run.h"
#include "sample_recording.h"

static struct recording *read_text(const char *text)
{
    struct fault fault = {0};
    struct recording *recording = heaptrack_read_bytes(text, strlen(text), &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

static void check_totals(const struct recording *recording, uint64_t calls, uint64_t peak,
                         uint64_t leaked, uint64_t temporary)
{
    assert_int_equal(recording->heap.calls, calls);
    assert_int_equal(recording->heap.peak_bytes, peak);
    assert_int_equal(recording->heap.bytes - recording->heap.freed_bytes, leaked);
    assert_int_equal(recording->heap.temporary, temporary);
}

#define LINES_MAX 64
/* "outer;...;inner" of a stack. */
static const char *path_of(struct recording *recording, stack_id stack)
{
    static char path[1024];
    struct shown_frame lines[LINES_MAX];
    size_t count = stack_show(recording, stack, lines, LINES_MAX);
    path[0] = '\0';
    while (count-- > 0) {
        strcat(path, recording_text(recording, lines[count].function));
        if (count)
            strcat(path, ";");
    }
    return path;
}

/* The value of a metric at the stack with this path. */
static int64_t value_at(struct recording *recording, const char *metric, const char *path)
{
    struct weights weights;
    struct fault fault = {0};
    int64_t value = 0;
    if (weigh_stacks(recording, metric_find(metric), TIME_ALL, &weights, &fault) < 0)
        fail_msg("%s", fault.text);
    vec_each (row, &weights.rows)
        if (strcmp(path_of(recording, row->key), path) == 0)
            value += row->value;
    weights_fini(&weights);
    return value;
}

static bool has_note(const struct recording *recording, const char *part)
{
    vec_each (note, &recording->notes)
        if (strstr(recording_text(recording, *note), part))
            return true;
    return false;
}

/* The same run in every format: f and g called by main; f's first block is freed at once, one of
 * g's stays.  Peak: 0x20 + 0x30 + 0x30. */
#define EVENTS_BY_INFO "c 0\n+ 0\n- 0\nc a\n+ 1\n+ 0\n+ 1\nR 10\nR 4\nc 14\n- 0\n- 1\nc 1e\n"
#define TABLES         "i 401000 1 3\ni 401100 1 4 5 c\ni 401200 1 6\nt 1 0\nt 2 1\nt 3 1\n"

static void check_run(struct recording *recording)
{
    check_totals(recording, 4, 0x80, 0x30, 1);
    assert_int_equal(value_at(recording, "heap.calls", "main;f"), 2);
    assert_int_equal(value_at(recording, "heap.peak", "main;f"), 0x20);
    assert_int_equal(value_at(recording, "heap.temporary", "main;f"), 1);
    assert_int_equal(value_at(recording, "heap.allocated", "main;g"), 0x60);
    assert_int_equal(value_at(recording, "heap.leaked", "main;g"), 0x30);
    assert_int_equal(recording->heap.peak_time_ns, 10000000);
    assert_int_equal(recording->duration_ns, 30000000);
    assert_int_equal(recording->quality.events, 7);
    assert_int_equal(recording->quality.damaged_chunks, 0);
    assert_true(recording->quality.complete);
    recording_destroy(recording);
}

TEST(no_resident_memory_is_none_measured)
{
    struct recording *recording =
        read_text("v 10400 3\nX ./a\nI 1000 100\na 20 0\nc 0\n+ 0\nR 0\nc 1e\n");
    struct findings findings;
    assert_int_equal(findings_make(recording, &findings), 0);
    assert_int_equal(findings.rss_peak_bytes, -1);
    recording_destroy(recording);
}

TEST(format_3_is_read)
{
    struct recording *recording =
        read_text("v 10400 3\nX ./a program\nI 1000 100\ns 5 /my/a\ns 1 x\ns 4 main\ns 1 f\n"
                  "s 7 src f.c\ns 1 g\n" TABLES "a 20 2\na 30 3\n" EVENTS_BY_INFO
                  "\n# strings: 6\n# ips: 3\n");
    struct findings findings;
    assert_int_equal(findings_make(recording, &findings), 0);
    assert_int_equal(findings.rss_peak_bytes, 0x10000);
    assert_string_equal(recording_text(recording, recording->program), "./a");
    assert_string_equal(recording_text(recording, recording->command_line), "./a program");
    assert_string_equal(recording_text(recording, recording->source), "heaptrack 1.4.0");
    assert_int_equal(recording->machine_bytes, 0x100000);
    assert_string_equal(recording_text(recording, recording->locations.items[1].file), "src f.c");
    assert_int_equal(recording->locations.items[1].line, 12);
    check_run(recording);
}

TEST(format_2_and_1_have_strings_to_the_end_of_the_line)
{
    static const char *const versions[] = {"v 10100 2\n", "v 10000 1\n", "v 10200\n"};
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 "%sX ./a\nI 1000 100\ns /my/a\ns x\ns main\ns f\ns src f.c\ns g\n" TABLES
                 "a 20 2\na 30 3\n" EVENTS_BY_INFO,
                 versions[i]);
        struct recording *recording = read_text(text);
        assert_string_equal(recording_text(recording, recording->locations.items[1].file),
                            "src f.c");
        check_run(recording);
    }
}

#define EVENTS_BY_POINTER                                                                          \
    "c 0\n+ 20 2 a0\n- a0\nc a\n+ 30 3 b0\n+ 20 2 a0\n+ 30 3 c0\nR 10\nc 14\n- a0\n- b0\nc 1e\n"

TEST(format_0_has_pointers_also_when_interpreted)
{
    check_run(read_text("v 900\nX ./a\nI 1000 100\ns /my/a\ns x\ns main\ns f\ns src f.c\n"
                        "s g\n" TABLES EVENTS_BY_POINTER));
}

/* Raw: the executable's bias is 400000, so f is at 1100 in it. */
static struct recording *read_raw(const char *head)
{
    char text[1024];
    snprintf(text, sizeof(text), "%st 401000 0\nt 401100 1\nt 401200 1\n" EVENTS_BY_POINTER, head);
    struct recording *recording = read_text(text);
    check_totals(recording, 4, 0x80, 0x30, 1);
    assert_int_equal(value_at(recording, "heap.peak", "a b+0x1000;a b+0x1100"), 0x20);
    assert_int_equal(recording->modules.items[0].bias, 0x400000);
    assert_int_equal(recording->modules.items[0].start, 0x400000);
    assert_int_equal(recording->modules.items[0].end, 0x402000);
    return recording;
}

TEST(raw_files_have_modules_and_addresses)
{
    struct recording *recording =
        read_raw("v 10400 3\nx 7 /my/a b\nX ./a b\nI 1000 100\nm 1 -\n"
                 "m 1 x 400000 0 500 1000 1000\nm 4 libz 7f0000 0 1000\n");
    assert_string_equal(recording_text(recording, recording->source), "heaptrack 1.4.0, raw");
    assert_string_equal(recording_text(recording, recording->program), "/my/a b");
    assert_int_equal(recording->modules.count, 2);
    recording_destroy(recording);
    recording_destroy(read_raw("v 10100 2\nx /my/a b\nX ./a b\nI 1000 100\nm -\n"
                               "m x 400000 0 500 1000 1000\n"));
}

TEST(a_module_that_goes_leaves_its_frames_and_another_may_come)
{
    struct recording *recording = read_text(
        "v 10400 3\nx 1 a\nm 1 -\nm 2 l1 1000 0 1000\nt 1100 0\n+ 1 1 10\nm 1 -\n"
        "m 2 l2 800 0 1000\nt 1100 0\n+ 2 2 20\nm 1 -\nm 2 l1 1000 0 1000\nt 1100 0\nt 5000 3\n"
        "+ 4 4 30\n");
    assert_int_equal(value_at(recording, "heap.leaked", "l1+0x100"), 1);
    assert_int_equal(value_at(recording, "heap.leaked", "l2+0x900"), 2);
    assert_int_equal(value_at(recording, "heap.leaked", "l1+0x100;0x5000"), 4);
    assert_int_equal(recording->modules.count, 2);
    recording_destroy(recording);
}

TEST(inlined_functions_come_innermost_first)
{
    struct recording *recording =
        read_text("v 10400 3\ns 1 m\ns 4 main\ns 3 out\ns 2 in\ns 3 f.c\ni 10 1 2\n"
                  "i 20 1 4 5 7 3 5 9\nt 1 0\nt 2 1\na 8 2\n+ 0\n");
    assert_int_equal(value_at(recording, "heap.leaked", "main;out;in"), 8);
    struct shown_frame lines[4];
    assert_int_equal(stack_show(recording, 2, lines, 4), 3);
    assert_true(lines[0].inlined);
    assert_int_equal(lines[0].line, 7);
    assert_int_equal(lines[1].line, 9);
    recording_destroy(recording);
}

TEST(what_heaptrack_print_gets_wrong_is_right)
{
    /* a free of info 0 right after another free is no temporary block */
    struct recording *recording = read_text("v 10400 3\na 10 0\na 20 0\n+ 0\n+ 1\n- 1\n- 0\n");
    check_totals(recording, 2, 0x30, 0, 1);
    recording_destroy(recording);
    /* a free that has no block, and one of a number that is not there */
    recording = read_text("v 10400 3\na 10 0\n+ 0\n- 0\n- 0\n- 7\n+ 0\n");
    check_totals(recording, 2, 0x10, 0x10, 1);
    assert_int_equal(recording->quality.unknown_frees, 1);
    assert_int_equal(recording->quality.damaged_chunks, 1);
    recording_destroy(recording);
    /* raw: an address that comes twice; the first block is gone */
    recording = read_text("v 10400 3\nx 1 a\n+ 10 0 a0\n+ 20 0 a0\n- a0\n- a0\n");
    check_totals(recording, 2, 0x20, 0, 1);
    assert_int_equal(recording->quality.implied_frees, 1);
    assert_int_equal(recording->quality.unknown_frees, 1);
    recording_destroy(recording);
}

TEST(rules_of_the_program_come_with_and_without_their_length)
{
    struct recording *recording =
        read_text("v 10400 3\nS leak:foo\nS 8 leak:bar\nS leak:^a b$\nA\n");
    assert_int_equal(recording->leak_rules.count, 3);
    assert_string_equal(recording_text(recording, recording->leak_rules.items[0]), "leak:foo");
    assert_string_equal(recording_text(recording, recording->leak_rules.items[1]), "leak:bar");
    assert_string_equal(recording_text(recording, recording->leak_rules.items[2]), "leak:^a b$");
    assert_true(has_note(recording, "attaching"));
    recording_destroy(recording);
}

TEST(a_command_line_may_have_lines_that_look_like_others)
{
    struct recording *recording = read_text("v 10400 3\nX python3 -c \nimport json\nx = 5\na = 3\n"
                                            "t = 1\n\nI am\nI 1000 100\na 8 0\n+ 0\n+ 9\n");
    check_totals(recording, 1, 8, 8, 0);
    assert_string_equal(recording_text(recording, recording->program), "python3");
    assert_string_equal(recording_text(recording, recording->command_line),
                        "python3 -c \nimport json\nx = 5\na = 3\nt = 1\n\nI am");
    assert_true(has_note(recording, "1 damaged line was skipped, the first of them line 12"));
    recording_destroy(recording);
    recording = read_text("v 10400 3\nX ./a\na 8 0\n+ 0\n"); /* from a program that wrote no I */
    check_totals(recording, 1, 8, 8, 0);
    recording_destroy(recording);
}

TEST(damaged_lines_keep_their_numbers_and_are_counted)
{
    struct recording *recording =
        read_text("v 10400 3\ns ff too short\ns 4 main\ni 10 9 2\ni 20 0 2\nt 7 0\nt 2 9\nt 2 1\n"
                  "a x 1\na 8 3\nq what\n+ 1\n+ 0\n+ 99\n+\n+ 1 1\n- G\nc 5\nc 3\nc zz\n");
    check_totals(recording, 2, 8, 8, 0);
    assert_int_equal(value_at(recording, "heap.leaked", "main"), 8);
    assert_int_equal(recording->quality.damaged_chunks, 12);
    assert_true(has_note(recording, "12 damaged lines were skipped, the first of them line 2"));
    assert_int_equal(recording->heap.peak_time_ns, 0);
    assert_int_equal(recording->duration_ns, 5000000);
    recording_destroy(recording);
}

TEST(sizes_past_the_address_space_are_not_believed)
{
    struct recording *recording =
        read_text("v 10400 3\na ffffffffffffffff 0\na 1ffffffffffffffff 0\n+ 0\n+ 1\nR "
                  "ffffffffffffffff\nc ffffffffffffffff\nI 1000 ffffffffffffffff\n");
    check_totals(recording, 2, 0, 0, 0);
    assert_int_equal(recording->quality.damaged_chunks, 5);
    recording_destroy(recording);
}

TEST(a_file_that_is_cut_is_read_up_to_there)
{
    struct recording *recording = read_text("v 10400 3\na 10 0\na 20 0\n+ 0\n+ 1");
    check_totals(recording, 1, 0x10, 0x10, 0);
    assert_false(recording->quality.complete);
    assert_true(has_note(recording, "read up to line 4"));
    recording_destroy(recording);
}

static void check_refused(const char *text, const char *sentence)
{
    struct fault fault = {0};
    assert_null(heaptrack_read_bytes(text, strlen(text), &fault));
    if (!strstr(fault.text, sentence))
        fail_msg("%s", fault.text);
}

TEST(what_cannot_be_read_is_refused_with_a_sentence)
{
    check_refused("v 20000 4\n+ 0\n", "format 4");
    check_refused("hello\n", "does not begin");
    check_refused("v 10400 3", "not one complete line");
    check_refused("", "not one complete line");
}

TEST(files_are_known_by_their_first_line)
{
    assert_true(heaptrack_recognise(slice_of("v 10400 3\nX ./a")));
    assert_true(heaptrack_recognise(slice_of("v 10200\n")));
    assert_false(heaptrack_recognise(slice_of("v 10400 3")));
    assert_false(heaptrack_recognise(slice_of("version 2\n")));
    assert_false(heaptrack_recognise(slice_of("v 10400 3 5\n")));
    assert_false(heaptrack_recognise(slice_of("")));
}

TEST(deep_stacks_are_said_to_be_cut)
{
    char text[8192] = "v 10400 3\ns 1 r\ni 1 0 1\n";
    for (int i = 0; i < 70; i++)
        sprintf(text + strlen(text), "t 1 %x\n", i);
    strcat(text, "a 1 3d\na 2 3e\n+ 0\n+ 1\n");
    struct recording *recording = read_text(text);
    assert_true(has_note(recording, "1 of 2 call stacks have 62 frames"));
    recording_destroy(recording);
}

/* What a file cannot hold is told. */
static bool is_said_to_differ(const struct export_job *job, const char *metric)
{
    bool const is_sum = strcmp(metric, "heap.allocated") == 0 || strcmp(metric, "heap.freed") == 0;
    for (size_t i = 0; i < job->notes.count; i++)
        if (is_sum && strstr(job->notes.text[i], "are written smaller than they were"))
            return true;
    return strcmp(metric, "heap.temporary") == 0 && job->notes.count > 0;
}

/* Every metric of every stack, and the facts of the run. */
static void check_round_trip(struct recording *recording)
{
    static const char *const names[] = {"heap.peak",  "heap.leaked",    "heap.allocated",
                                        "heap.calls", "heap.temporary", "heap.freed"};
    struct export_job job = {.recording = recording, .range = TIME_ALL};
    struct fault fault = {0};
    size_t size;
    char *text = export_to_memory("heaptrack", &job, &size, &fault);
    struct recording *back = heaptrack_read_bytes(text, size, &fault);
    assert_non_null(back);
    for (size_t m = 0; m < sizeof(names) / sizeof(names[0]); m++) {
        struct weights weights, again;
        char path[1024];
        bool const may_differ = is_said_to_differ(&job, names[m]);
        const struct metric *metric = metric_find(names[m]);
        assert_int_equal(weigh_stacks(recording, metric, TIME_ALL, &weights, &fault), 0);
        assert_int_equal(weigh_stacks(back, metric, TIME_ALL, &again, &fault), 0);
        if (!may_differ) {
            assert_int_equal(weights.total_value, again.total_value);
            assert_int_equal(weights.rows.count, again.rows.count);
        }
        assert_true(again.rows.count <= weights.rows.count);
        vec_each (row, &weights.rows) {
            strcpy(path, path_of(recording, row->key));
            if (!may_differ && value_at(back, names[m], path) != row->value)
                fail_msg("%s of %s", names[m], path);
        }
        weights_fini(&weights);
        weights_fini(&again);
    }
    assert_int_equal(back->pid, recording->pid);
    assert_int_equal(back->exit_status, recording->exit_status);
    assert_int_equal(back->start_unix_ns, recording->start_unix_ns);
    assert_string_equal(recording_text(back, back->host),
                        recording_text(recording, recording->host));
    assert_string_equal(recording_text(back, back->program),
                        recording_text(recording, recording->program));
    recording_destroy(back);
    free(text);
}

TEST(our_own_exports_come_back_as_they_were)
{
    struct sample sample = sample_create();
    check_round_trip(sample.recording);
    sample_destroy(&sample);
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct random_run run = random_run_create(seed, 5 + seed * 7 % 900, 1 + seed % 5);
        check_round_trip(run.recording);
        recording_destroy(run.recording);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_resident_memory_is_none_measured),
        cmocka_unit_test(format_3_is_read),
        cmocka_unit_test(format_2_and_1_have_strings_to_the_end_of_the_line),
        cmocka_unit_test(format_0_has_pointers_also_when_interpreted),
        cmocka_unit_test(raw_files_have_modules_and_addresses),
        cmocka_unit_test(a_module_that_goes_leaves_its_frames_and_another_may_come),
        cmocka_unit_test(inlined_functions_come_innermost_first),
        cmocka_unit_test(what_heaptrack_print_gets_wrong_is_right),
        cmocka_unit_test(rules_of_the_program_come_with_and_without_their_length),
        cmocka_unit_test(a_command_line_may_have_lines_that_look_like_others),
        cmocka_unit_test(damaged_lines_keep_their_numbers_and_are_counted),
        cmocka_unit_test(sizes_past_the_address_space_are_not_believed),
        cmocka_unit_test(a_file_that_is_cut_is_read_up_to_there),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_a_sentence),
        cmocka_unit_test(files_are_known_by_their_first_line),
        cmocka_unit_test(deep_stacks_are_said_to_be_cut),
        cmocka_unit_test(our_own_exports_come_back_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
