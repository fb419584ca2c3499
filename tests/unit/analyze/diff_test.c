/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/diff/diff.h"

#include <string.h>

#include "analyze/sites/site_key.h"
#include "check.h"
#include "sample_recording.h"

#define MIB (1 << 20)

/* Two samples, the second changed by `change`, weighed by the peak. */
struct pair {
    struct sample before, after;
    struct weights weights[2];
};

static void pair_init(struct pair *pair, void (*change)(struct sample *sample))
{
    pair->before = sample_create();
    pair->after = sample_create();
    if (change)
        change(&pair->after);
    const struct metric *peak = metric_find("heap.peak");
    assert_int_equal(weigh_stacks(pair->before.recording, peak, TIME_ALL, &pair->weights[0], NULL),
                     0);
    assert_int_equal(weigh_stacks(pair->after.recording, peak, TIME_ALL, &pair->weights[1], NULL),
                     0);
}

static void pair_fini(struct pair *pair)
{
    weights_fini(&pair->weights[0]);
    weights_fini(&pair->weights[1]);
    sample_destroy(&pair->before);
    sample_destroy(&pair->after);
}

static void pair_diff(const struct pair *pair, enum grouping by, bool lines, struct diff *diff)
{
    assert_int_equal(diff_build((struct diff_side){pair->before.recording, &pair->weights[0]},
                                (struct diff_side){pair->after.recording, &pair->weights[1]}, by,
                                lines, diff),
                     0);
}

static void check_row(const struct diff_row *row, enum diff_kind kind, int64_t before,
                      int64_t after)
{
    assert_int_equal(row->kind, kind);
    assert_int_equal(row->before, before);
    assert_int_equal(row->after, after);
}

static void set_peak(struct sample *sample, int site, int64_t bytes)
{
    struct pin *pin = &sample->recording->pins.items[0];
    for (size_t i = 0; i < pin->cell_count; i++)
        if (pin->cells[i].key == sample->stacks[site] && pin->cells[i].column == COL_HEAP_BYTES)
            pin->cells[i].value = bytes;
        else if (pin->cells[i].key == sample->stacks[site] && bytes == 0)
            pin->cells[i].value = 0;
}

static void rename_function(struct sample *sample, const char *from, const char *to)
{
    vec_each (location, &sample->recording->locations)
        if (strcmp(recording_text(sample->recording, location->function), from) == 0)
            location->function = recording_intern(sample->recording, to);
}

/* Everything that may differ between two builds of one program. */
static void rebuild(struct sample *sample)
{
    struct recording *recording = sample->recording;
    vec_each (frame, &recording->frames)
        frame->address += 0x770;
    vec_each (module, &recording->modules) {
        module->start += 0x10000000;
        module->bias += 0x10000000;
    }
    vec_each (location, &recording->locations)
        location->line += location->line != 0;
    recording->modules.items[0].path = recording_intern(recording, "/home/ci/ledger-node");
    recording->modules.items[0].build_id = recording_intern(recording, "beef");
    rename_function(sample, "tzset_internal", "tzset_internal.part.0");
    rename_function(sample, "handle", "handle [clone .constprop.3]");
}

static void equal_recordings_have_no_rows(void **state)
{
    (void)state;
    struct pair pair;
    struct diff diff;
    pair_init(&pair, NULL);
    pair_diff(&pair, BY_STACK, true, &diff);
    assert_int_equal(diff.rows.count, 0);
    assert_int_equal(diff.unchanged, 4);
    diff_fini(&diff);
    pair_fini(&pair);
}

static void another_build_still_matches(void **state)
{
    (void)state;
    struct pair pair;
    struct diff diff;
    pair_init(&pair, rebuild);
    pair_diff(&pair, BY_STACK, false, &diff);
    assert_int_equal(diff.rows.count, 0);
    assert_int_equal(diff.unchanged, 4);
    diff_fini(&diff);
    pair_diff(&pair, BY_STACK, true, &diff); /* unless lines are to count */
    CHECK(diff.rows.count > 0);
    diff_fini(&diff);
    pair_fini(&pair);
}

static void change_all_kinds(struct sample *sample)
{
    set_peak(sample, SITE_CACHE, 15 * MIB);
    set_peak(sample, SITE_TREE, MIB / 4);
    set_peak(sample, SITE_PLUGIN, 0);
    rename_function(sample, "tzset_internal", "tz_load");
}

static void every_kind_is_found_and_ordered(void **state)
{
    (void)state;
    struct pair pair;
    struct diff diff;
    pair_init(&pair, change_all_kinds);
    pair_diff(&pair, BY_STACK, false, &diff);
    assert_int_equal(diff.rows.count, 5);
    check_row(&diff.rows.items[0], DIFF_GROWN, 10 * MIB, 15 * MIB);
    check_row(&diff.rows.items[1], DIFF_SHRUNK, MIB, MIB / 4);
    check_row(&diff.rows.items[2], DIFF_GONE, 4000, 0);
    check_row(&diff.rows.items[3], DIFF_NEW, 0, 100);
    check_row(&diff.rows.items[4], DIFF_GONE, 100, 0);
    for (int kind = 0; kind < DIFF_KINDS; kind++)
        assert_int_equal(diff.kinds[kind], kind == DIFF_GONE ? 2 : 1);
    CHECK(diff.rows.items[0].shown_by == pair.after.recording);
    CHECK(diff.rows.items[2].shown_by == pair.before.recording);
    diff_fini(&diff);
    pair_fini(&pair);
}

static void functions_and_modules_are_added_up(void **state)
{
    (void)state;
    struct pair pair;
    struct diff diff;
    pair_init(&pair, change_all_kinds);
    pair_diff(&pair, BY_FUNCTION, false, &diff);
    assert_int_equal(diff.rows.count, 5);
    diff_fini(&diff);
    pair_diff(&pair, BY_MODULE, false, &diff);
    assert_int_equal(diff.rows.count, 2); /* libc: 100 bytes before and after */
    check_row(&diff.rows.items[0], DIFF_GROWN, 11 * MIB, 15 * MIB + MIB / 4);
    check_row(&diff.rows.items[1], DIFF_GONE, 4000, 0);
    diff_fini(&diff);
    pair_fini(&pair);
}

static void two_stretches_of_one_recording_compare(void **state)
{
    (void)state;
    struct sample sample = sample_create();
    const struct metric *calls = metric_find("heap.calls");
    struct weights early, late;
    struct diff diff;
    weigh_stacks(sample.recording, calls, (struct time_range){0, 10000000000}, &early, NULL);
    weigh_stacks(sample.recording, calls, (struct time_range){10000000000, 20000000000}, &late,
                 NULL);
    assert_int_equal(diff_build((struct diff_side){sample.recording, &early},
                                (struct diff_side){sample.recording, &late}, BY_STACK, false,
                                &diff),
                     0);
    assert_int_equal(diff.unchanged, 1); /* parsing */
    assert_int_equal(diff.kinds[DIFF_NEW], 1);
    assert_int_equal(diff.kinds[DIFF_GONE], 2);
    check_row(&diff.rows.items[0], DIFF_NEW, 0, 2);
    check_row(&diff.rows.items[1], DIFF_GROWN, 4, 6);
    diff_fini(&diff);
    weights_fini(&early);
    weights_fini(&late);
    sample_destroy(&sample);
}

static void names_lose_what_builds_add(void **state)
{
    (void)state;
    assert_int_equal(site_module_length("libc.so.6"), 7);
    assert_int_equal(site_module_length("node"), 4);
    assert_int_equal(site_function_length("f(int) [clone .isra.0]"), 6);
    assert_int_equal(site_function_length("parse.cold"), 5);
    assert_int_equal(site_function_length("a::b"), 4);
    CHECK(site_is_nameless("libx.so+0x12", "libx.so"));
    CHECK(site_is_nameless("0x12", ""));
    CHECK(!site_is_nameless("libx.so", "libx.so"));
    CHECK(!site_is_nameless("main", "node"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_recordings_have_no_rows),
        cmocka_unit_test(another_build_still_matches),
        cmocka_unit_test(every_kind_is_found_and_ordered),
        cmocka_unit_test(functions_and_modules_are_added_up),
        cmocka_unit_test(two_stretches_of_one_recording_compare),
        cmocka_unit_test(names_lose_what_builds_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
