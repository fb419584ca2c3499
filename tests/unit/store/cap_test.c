/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"

#include "check.h"

static size_t file_bytes(const char *path)
{
    struct stat status;
    CHECK(stat(path, &status) == 0);
    return (size_t)status.st_size;
}

static void check_without_gaps(struct recording *recording, uint64_t end_ns)
{
    uint64_t at = 0;
    vec_each (bucket, &recording->buckets) {
        CHECK(bucket->begin_ns == at && bucket->end_ns > at);
        at = bucket->end_ns;
    }
    CHECK(at == end_ns);
}

struct long_run {
    uint64_t cap, bucket_ns;
    unsigned buckets, cells;
    unsigned pin_at; /* a mark at the begin of this bucket; 0: none */
};

/* Records a long run under a cap, watching the file's size, and checks every sum. */
static struct recording *record_long_run(struct long_run run, char *path)
{
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, run.cap, NULL);
    struct sample_sums sums = {.live_max = -1};
    struct fault fault = {0};
    for (unsigned round = 0; round < 10; round++)
        sample_add_tables(recording, round);
    for (unsigned i = 0; i < run.buckets; i++) {
        if (run.pin_at > 0 && i == run.pin_at)
            sample_set_pin(recording, 0,
                           (struct pin){.kind = PIN_MARK, .time_ns = i * run.bucket_ns}, 20);
        sample_add_bucket(recording, run.bucket_ns, run.cells, i % 5000);
        sample_sum_bucket(&sums, &recording->buckets.items[recording->buckets.count - 1]);
        if (recording_writer_append(writer, recording, &fault) < 0)
            fail_msg("%s", fault.text);
        if (i % 100 == 0)
            CHECK(file_bytes(path) <= run.cap);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(file_bytes(path) <= run.cap);
    struct recording *read = recording_read(path, &fault);
    if (!read)
        fail_msg("%s", fault.text);
    check_without_gaps(read, run.buckets * run.bucket_ns);
    struct sample_sums got = sample_sum(read);
    assert_memory_equal(&sums, &got, sizeof(sums));
    CHECK(read->quality.damaged_chunks == 0 && read->quality.complete);
    sample_check_equal_tables(recording, read);
    recording_destroy(recording);
    return read;
}

static void three_weeks_stay_under_the_cap_with_exact_sums(void **state)
{
    (void)state;
    char *path = sample_path();
    struct long_run run = {.cap = 4 << 20,
                           .bucket_ns = 30 * SAMPLE_SECOND,
                           .buckets = 60480,
                           .cells = 50,
                           .pin_at = 20001};
    struct recording *read = record_long_run(run, path);
    CHECK(read->quality.coarsened);
    size_t count = read->buckets.count;
    const struct bucket *last = &read->buckets.items[count - 1];
    CHECK(last->end_ns - last->begin_ns == run.bucket_ns); /* the newest in full detail */
    bool pinned = false;
    vec_each (bucket, &read->buckets)
        pinned |= bucket->begin_ns == run.pin_at * run.bucket_ns;
    CHECK(pinned && read->pins.count == 1 && read->pins.items[0].cell_count > 10);
    recording_destroy(read);
    sample_forget_path(path);
}

static void a_tiny_cap_works_as_far_as_the_tables_fit(void **state)
{
    (void)state;
    char *path = sample_path();
    struct long_run run = {
        .cap = 64 << 10, .bucket_ns = SAMPLE_SECOND, .buckets = 3000, .cells = 50};
    struct recording *read = record_long_run(run, path);
    CHECK(read->quality.coarsened && read->buckets.count > 10);
    recording_destroy(read);
    sample_forget_path(path);
}

static void many_small_buckets_are_merged_even_without_a_cap(void **state)
{
    (void)state;
    char *path = sample_path();
    struct long_run run = {
        .cap = UINT64_C(1) << 40, .bucket_ns = SAMPLE_SECOND, .buckets = 40000, .cells = 1};
    struct recording *read = record_long_run(run, path);
    CHECK(read->quality.coarsened && read->buckets.count < 32768);
    recording_destroy(read);
    sample_forget_path(path);
}

static void a_cap_without_room_for_the_tables_gives_way(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 16 << 10, NULL);
    for (unsigned round = 0; round < 3000; round++) {
        sample_add_tables(recording, round);
        sample_add_bucket(recording, SAMPLE_SECOND, 20, round);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(file_bytes(path) > 16 << 10);
    struct recording *read = recording_read(path, NULL);
    CHECK(read && read->quality.complete && read->quality.coarsened && read->notes.count > 0);
    bool told = false;
    vec_each (note, &read->notes)
        told |= strstr(recording_text(read, *note), "--max-size") != NULL;
    CHECK(told);
    CHECK(read->buckets.items[read->buckets.count - 1].end_ns == 3000 * SAMPLE_SECOND);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_reader_keeps_its_view_while_the_file_is_rewritten(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 128 << 10, NULL);
    sample_add_tables(recording, 0);
    for (unsigned i = 0; i < 100; i++)
        sample_add_bucket(recording, SAMPLE_SECOND, 50, i);
    struct sample_sums sums = {.live_max = -1};
    vec_each (bucket, &recording->buckets)
        sample_sum_bucket(&sums, bucket);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    struct recording *early = recording_read(path, NULL);
    for (unsigned i = 0; i < 2000; i++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 50, i);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording->quality.coarsened);
    struct sample_sums got = sample_sum(early);
    assert_memory_equal(&sums, &got, sizeof(sums));
    recording_destroy(early);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_copy_left_behind_by_a_killed_recorder_goes(void **state)
{
    (void)state;
    static const char *const ends[] = {"", ".0123456789abcdef.tmp", ".tmp", ".0123456789abcde.tmp",
                                       ".0123456789abcdef.tmp2"};
    char *path = sample_path();
    char names[5][300];
    struct recording *recording = recording_create();
    for (unsigned i = 0; i < 5; i++) {
        snprintf(names[i], sizeof(names[i]), "%s%s", path, ends[i]);
        struct recording_writer *writer = recording_writer_create(names[i], 0, NULL);
        CHECK(writer && recording_writer_finish(writer, recording, NULL) == 0);
    }
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    CHECK(writer && recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(access(names[1], F_OK) < 0);
    for (unsigned i = 2; i < 5; i++) /* of somebody else */
        CHECK(unlink(names[i]) == 0);
    recording_destroy(recording);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_weeks_stay_under_the_cap_with_exact_sums),
        cmocka_unit_test(a_tiny_cap_works_as_far_as_the_tables_fit),
        cmocka_unit_test(many_small_buckets_are_merged_even_without_a_cap),
        cmocka_unit_test(a_cap_without_room_for_the_tables_gives_way),
        cmocka_unit_test(a_reader_keeps_its_view_while_the_file_is_rewritten),
        cmocka_unit_test(a_copy_left_behind_by_a_killed_recorder_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
