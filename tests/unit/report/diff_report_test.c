/* SPDX-License-Identifier: Apache-2.0 */
#include "report/rows/diff_report.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "sample_recording.h"

typedef int write_diff(const struct diff_view *view, FILE *out);

static int write_text(const struct diff_view *view, FILE *out)
{
    struct text_style style = {.width = 0};
    return diff_text_write(view, &style, out);
}

/* The sample against itself with a larger cache, a hostile name and nothing from the plugin. */
static char *write_sample(write_diff *write, enum grouping by, uint64_t top)
{
    struct sample before = sample_create(), after = sample_create();
    struct cell *cells = after.recording->pins.items[0].cells;
    struct weights weights[2];
    struct diff diff;
    char *text = NULL;
    size_t size;
    cells[0].value += 512 << 10;
    cells[4].value = cells[5].value = 0;
    vec_each (location, &after.recording->locations)
        if (strcmp(recording_text(after.recording, location->function), "tzset_internal") == 0)
            location->function = recording_intern(after.recording, "bad\"\033[31m\n,name");
    const struct metric *peak = metric_find("heap.peak");
    weigh_stacks(before.recording, peak, TIME_ALL, &weights[0], NULL);
    weigh_stacks(after.recording, peak, TIME_ALL, &weights[1], NULL);
    assert_int_equal(diff_build((struct diff_side){before.recording, &weights[0]},
                                (struct diff_side){after.recording, &weights[1]}, by, false, &diff),
                     0);
    struct diff_view view = {&diff, "old.memoir", "new.memoir", top, 0, 2, NULL};
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(write(&view, out), 0);
    fclose(out);
    diff_fini(&diff);
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    sample_destroy(&before);
    sample_destroy(&after);
    return text;
}

static void check_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%s", part, text ? text : "nothing");
}

static void text_begins_with_both_totals(void **state)
{
    (void)state;
    char *text = write_sample(write_text, BY_STACK, 2);
    check_has(text, "heap.peak  11.0 MiB → 11.5 MiB  (+508 KiB, +4.5 %)\n");
    check_has(text, "before     old.memoir\nafter      new.memoir\n");
    check_has(text, "call sites 1 new, 2 gone, 1 grown, 0 shrunk, 1 unchanged\n");
    check_has(text, "grown      +512 KiB     10.0 MiB     10.5 MiB  cache_insert");
    check_has(text, "gone      -3.91 KiB     3.91 KiB          0 B  libplugin.so+0x1234");
    check_has(text, "and 2 smaller changes");
    CHECK(!strstr(text, "_start")); /* two frames a row */
    free(text);
}

static void text_cannot_steer_a_terminal(void **state)
{
    (void)state;
    char *text = write_sample(write_text, BY_STACK, UINT64_MAX);
    CHECK(!strchr(text, '\033'));
    check_has(text, "bad\"?[31m?,name");
    free(text);
}

static void csv_has_a_line_per_row(void **state)
{
    (void)state;
    char *text = write_sample(diff_csv_write, BY_FUNCTION, UINT64_MAX);
    assert_string_equal(text, "kind,change,before,after,before_count,after_count,stack,error\n"
                              "grown,524288,10485760,11010048,10,10,\"cache_insert\",0\n"
                              "gone,-4000,4000,0,1,0,\"libplugin.so+0x1234\",0\n"
                              "new,100,0,100,0,1,\"bad\"\" [31m ,name\",0\n"
                              "gone,-100,100,0,1,0,\"tzset_internal\",0\n");
    free(text);
}

static void modules_are_named_by_their_path(void **state)
{
    (void)state;
    char *text = write_sample(diff_csv_write, BY_MODULE, UINT64_MAX);
    check_has(text, "grown,524288,11534336,12058624,12,12,\"/opt/ledger/ledger-node\",0\n");
    check_has(text, "gone,-4000,4000,0,1,0,\"/opt/ledger/libplugin.so\",0\n");
    free(text);
}

static void json_has_totals_and_rows(void **state)
{
    (void)state;
    char *text = write_sample(diff_json_write, BY_STACK, 1);
    check_has(text, "\"metric\": \"heap.peak\"");
    check_has(text, "\"value\": 11538436");
    check_has(text, "\"value\": 12058724");
    check_has(text, "\"change\": 520288");
    check_has(text, "\"rows_left_out\": 3");
    check_has(text, "\"kind\": \"grown\"");
    check_has(text, "\"function\": \"cache_insert\"");
    check_has(text, "\"inlined\": true");
    free(text);
}

/* Both halves of a bucket are the bucket. */
static void one_stretch_is_not_two(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    const struct metric *live = metric_find("heap.live");
    struct weights weights[2];
    struct diff diff;
    char note[DIFF_NOTE_MAX];
    struct time_range const halves[] = {{11000000000, 12000000000}, {13000000000, 14000000000}};
    for (int i = 0; i < 2; i++)
        weigh_stacks(sample.recording, live, halves[i], &weights[i], NULL);
    assert_int_equal(diff_build((struct diff_side){sample.recording, &weights[0]},
                                (struct diff_side){sample.recording, &weights[1]}, BY_STACK, false,
                                &diff),
                     0);
    struct diff_view const view = {&diff, "a.memoir", "a.memoir", UINT64_MAX, 0, 2, NULL};
    CHECK(diff_view_note(&view, note));
    check_has(note, "one time range, from 10.0 s to 20.0 s,");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(write_text(&view, out), 0);
    assert_int_equal(diff_json_write(&view, out), 0);
    fclose(out);
    check_has(text, "\nwarning: both times lie in one time range");
    check_has(text, "\"both times lie in one time range");
    free(text);
    weights[1].used.to_ns++;
    CHECK(!diff_view_note(&view, note));
    diff_fini(&diff);
    weights_fini(&weights[0]);
    weights_fini(&weights[1]);
    sample_destroy(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_begins_with_both_totals),
        cmocka_unit_test(text_cannot_steer_a_terminal),
        cmocka_unit_test(csv_has_a_line_per_row),
        cmocka_unit_test(modules_are_named_by_their_path),
        cmocka_unit_test(json_has_totals_and_rows),
        cmocka_unit_test(one_stretch_is_not_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
