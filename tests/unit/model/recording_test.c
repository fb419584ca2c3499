/* SPDX-License-Identifier: Apache-2.0 */
#include "model/recording.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static int loads, closes;

static int load_one_cell(struct recording *recording, struct bucket *bucket, struct fault *fault)
{
    (void)recording;
    (void)fault;
    bucket->cells = calloc(1, sizeof(bucket->cells[0]));
    bucket->cell_count = 1;
    loads++;
    return 0;
}

static void count_close(struct recording *recording)
{
    (void)recording;
    closes++;
}

static void a_new_recording_is_empty_and_still_running(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    CHECK(recording->exit_status == -1 && recording->buckets.count == 0);
    CHECK(recording_pin(recording, PIN_PEAK) == NULL);
    assert_string_equal(recording_text(recording, STRING_EMPTY), "");
    string_id id = recording_intern(recording, "memoir run");
    assert_string_equal(recording_text(recording, id), "memoir run");
    recording_destroy(recording);
    recording_destroy(NULL);
}

static void cells_are_loaded_once_and_again_after_unloading(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    recording->load_bucket = load_one_cell;
    recording->close = count_close;
    CHECK(vec_push(&recording->buckets, (struct bucket){.end_ns = 1, .file_offset = 16}));
    struct bucket *bucket = &recording->buckets.items[0];

    CHECK(recording_load_bucket(recording, bucket, NULL) == 0 && loads == 1);
    CHECK(recording_load_bucket(recording, bucket, NULL) == 0 && loads == 1);
    recording_unload_bucket(recording, bucket);
    CHECK(!bucket->cells && bucket->cell_count == 0);
    CHECK(recording_load_bucket(recording, bucket, NULL) == 0 && loads == 2);
    recording_destroy(recording);
    CHECK(closes == 1);
}

static void cells_without_a_file_are_never_unloaded(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    struct cell *cells = calloc(2, sizeof(cells[0]));
    CHECK(vec_push(&recording->buckets, (struct bucket){.cells = cells, .cell_count = 2}));
    recording_unload_bucket(recording, &recording->buckets.items[0]);
    CHECK(recording->buckets.items[0].cells == cells);
    recording_destroy(recording);
}

static void cells_that_only_the_file_has_are_refused_with_a_sentence(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    struct fault fault = {0};
    CHECK(vec_push(&recording->buckets, (struct bucket){.file_offset = 16}));
    CHECK(recording_load_bucket(recording, &recording->buckets.items[0], &fault) == -ENOTSUP);
    CHECK(strlen(fault.text) > 0);
    recording_destroy(recording);
}

static void the_first_pin_of_a_kind_is_found(void **state)
{
    (void)state;
    struct recording *recording = recording_create();
    CHECK(vec_push(&recording->pins, (struct pin){.kind = PIN_MARK, .time_ns = 1}));
    CHECK(vec_push(&recording->pins, (struct pin){.kind = PIN_PEAK, .time_ns = 2}));
    CHECK(vec_push(&recording->pins, (struct pin){.kind = PIN_MARK, .time_ns = 3}));
    CHECK(recording_pin(recording, PIN_PEAK)->time_ns == 2);
    CHECK(recording_pin(recording, PIN_MARK)->time_ns == 1);
    CHECK(recording_pin(recording, PIN_DEATH) == NULL);
    recording_destroy(recording);
}

TEST(what_is_live_is_leaked_only_when_the_process_is_over)
{
    struct recording *recording = recording_create();
    recording->source = recording_intern(recording, "memoir run");
    recording->quality.complete = true;
    CHECK(!recording_ran_on(recording)); /* as older recordings have it */
    recording->end = END_RUNS_ON;
    CHECK(recording_ran_on(recording));
    recording->being_written = true;
    CHECK(!recording_ran_on(recording)); /* it is live now */
    recording->being_written = false;
    recording->end = END_OVER;
    CHECK(!recording_ran_on(recording));
    recording->end = END_UNKNOWN;
    recording->quality.complete = false; /* its recorder was killed */
    CHECK(recording_ran_on(recording));
    recording->exit_status = 0;
    CHECK(!recording_ran_on(recording));
    recording->exit_status = -1;
    recording->source = recording_intern(recording, "heaptrack");
    CHECK(!recording_ran_on(recording));
    recording->before.attached = 1;
    CHECK(recording_ran_on(recording));
    recording->before.attached = 0;
    recording->source = recording_intern(recording, SOURCE_PPROF_HEAP);
    CHECK(recording_ran_on(recording));
    recording_destroy(recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_recording_is_empty_and_still_running),
        cmocka_unit_test(cells_are_loaded_once_and_again_after_unloading),
        cmocka_unit_test(cells_without_a_file_are_never_unloaded),
        cmocka_unit_test(cells_that_only_the_file_has_are_refused_with_a_sentence),
        cmocka_unit_test(what_is_live_is_leaked_only_when_the_process_is_over),
        cmocka_unit_test(the_first_pin_of_a_kind_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
