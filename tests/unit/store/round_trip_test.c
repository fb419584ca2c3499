/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"

#include "check.h"

static void check_equal_state(struct recording *a, struct recording *b)
{
    CHECK(a->program == b->program && a->command_line == b->command_line && a->host == b->host &&
          a->source == b->source && a->pid == b->pid && a->parent_pid == b->parent_pid);
    CHECK(a->start_unix_ns == b->start_unix_ns && a->duration_ns == b->duration_ns &&
          a->exit_status == b->exit_status && a->end == b->end && a->page_bytes == b->page_bytes &&
          a->machine_bytes == b->machine_bytes && a->anon_peak_bytes == b->anon_peak_bytes);
    CHECK(memcmp(&a->before, &b->before, sizeof(a->before)) == 0);
    assert_memory_equal(&a->heap, &b->heap, sizeof(a->heap));
    assert_memory_equal(&a->maps, &b->maps, sizeof(a->maps));
    assert_memory_equal(&a->cost, &b->cost, sizeof(a->cost));
    assert_memory_equal(&a->timing, &b->timing, sizeof(a->timing));
    assert_memory_equal(&a->quality.events, &b->quality.events, offsetof(struct quality, complete));
    CHECK(a->quality.complete == b->quality.complete &&
          a->quality.coarsened == b->quality.coarsened);
}

/* Times come back in order; ours are put in out of it. */
static void check_equal_times(const struct bucket *read, const struct bucket *kept)
{
    uint64_t sum = 0, kept_sum = 0;
    CHECK(read->moment_count == kept->moment_count);
    for (size_t i = 0; i < read->moment_count; i++) {
        CHECK(i == 0 || read->moments[i - 1].after_ns <= read->moments[i].after_ns);
        sum += read->moments[i].after_ns * (uint64_t)read->moments[i].value;
        kept_sum += kept->moments[i].after_ns * (uint64_t)kept->moments[i].value;
    }
    CHECK(sum == kept_sum);
}

static void check_equal_buckets(struct recording *read, const struct bucket *kept, size_t count)
{
    assert_int_equal(read->buckets.count, count);
    for (size_t i = 0; i < count; i++) {
        struct bucket *bucket = &read->buckets.items[i];
        struct sample_sums ours = {0}, theirs = {0};
        CHECK(bucket->cells == NULL);
        CHECK(recording_load_bucket(read, bucket, NULL) == 0);
        CHECK(bucket->begin_ns == kept[i].begin_ns && bucket->end_ns == kept[i].end_ns);
        assert_memory_equal(&bucket->gauges, &kept[i].gauges, sizeof(bucket->gauges));
        CHECK(bucket->pss_bytes == kept[i].pss_bytes);
        sample_sum_bucket(&ours, &kept[i]);
        sample_sum_bucket(&theirs, bucket);
        assert_memory_equal(&ours, &theirs, sizeof(ours));
        check_equal_times(bucket, &kept[i]);
    }
}

/* The writer gives cells back, so keep a copy to compare with. */
static struct bucket keep_bucket(const struct bucket *bucket)
{
    struct bucket copy = *bucket;
    copy.cells = malloc((bucket->cell_count + 1) * sizeof(struct cell));
    copy.thread_cells = malloc((bucket->thread_cell_count + 1) * sizeof(struct cell));
    if (bucket->cell_count)
        memcpy(copy.cells, bucket->cells, bucket->cell_count * sizeof(struct cell));
    copy.moments = malloc((bucket->moment_count + 1) * sizeof(struct moment));
    if (bucket->moment_count)
        memcpy(copy.moments, bucket->moments, bucket->moment_count * sizeof(struct moment));
    if (bucket->thread_cell_count)
        memcpy(copy.thread_cells, bucket->thread_cells,
               bucket->thread_cell_count * sizeof(struct cell));
    return copy;
}

static struct recording *read_or_fail(const char *path)
{
    struct fault fault = {0};
    struct recording *recording = recording_read(path, &fault);
    if (!recording)
        fail_msg("%s", fault.text);
    return recording;
}

#define ROUNDS 20

static void everything_comes_back_as_it_was_put_in(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 1 << 26, NULL);
    struct bucket kept[ROUNDS];
    CHECK(writer != NULL);
    for (unsigned round = 0; round < ROUNDS; round++) {
        sample_add_tables(recording, round);
        sample_add_bucket(recording, SAMPLE_SECOND, round * round * 10, round);
        kept[round] = keep_bucket(&recording->buckets.items[round]);
        sample_fill_state(recording);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
        CHECK(recording->buckets.items[round].cells == NULL);

        struct recording *read = read_or_fail(path); /* while it is being written */
        sample_check_equal_tables(recording, read);
        check_equal_state(recording, read);
        check_equal_buckets(read, kept, round + 1);
        CHECK(!read->quality.complete && read->being_written);
        recording_destroy(read);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    struct recording *read = read_or_fail(path);
    sample_check_equal_tables(recording, read);
    check_equal_state(recording, read);
    check_equal_buckets(read, kept, ROUNDS);
    CHECK(read->quality.complete && !read->quality.coarsened && !read->being_written);
    recording_destroy(read);
    recording_destroy(recording);
    for (unsigned round = 0; round < ROUNDS; round++) {
        free(kept[round].cells);
        free(kept[round].thread_cells);
        free(kept[round].moments);
    }
    sample_forget_path(path);
}

static void tables_larger_than_a_chunk_come_back(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    for (unsigned round = 0; round < 12000; round++)
        sample_add_tables(recording, round);
    sample_add_bucket(recording, SAMPLE_SECOND, 20000, 1);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    struct recording *read = read_or_fail(path);
    sample_check_equal_tables(recording, read);
    CHECK(read->quality.damaged_chunks == 0);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void rows_that_change_later_are_told_again(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    sample_add_tables(recording, 0);
    sample_add_tables(recording, 1);
    recording->frames.items[1].location_count = 0; /* resolved later */
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    recording->frames.items[1].location_count = 2;
    recording->frames.items[6].first_location = 0;
    recording->threads.items[1].last_ns = 123456;
    recording->threads.items[0].name = recording_intern(recording, "renamed");
    recording->modules.items[1].end += 4096;
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    struct recording *read = read_or_fail(path);
    sample_check_equal_tables(recording, read);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_later_peak_replaces_the_one_before(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    sample_add_tables(recording, 0);
    string_id label = recording_intern(recording, "deploy");
    sample_set_pin(recording, 0, (struct pin){.kind = PIN_PEAK, .time_ns = 5}, 10);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    CHECK(recording->pins.items[0].cells == NULL);
    sample_set_pin(recording, 1, (struct pin){.kind = PIN_MARK, .time_ns = 6, .label = label}, 3);
    sample_set_pin(recording, 0, (struct pin){.kind = PIN_PEAK, .time_ns = 7}, 8);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    sample_set_pin(recording, 2, (struct pin){.kind = PIN_DEATH, .time_ns = 9}, 0);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);

    struct recording *read = read_or_fail(path);
    assert_int_equal(read->pins.count, 3);
    const struct pin *peak = recording_pin(read, PIN_PEAK), *mark = recording_pin(read, PIN_MARK);
    CHECK(peak->time_ns == 7 && peak->cell_count > 0 && peak->thread_cell_count == 1);
    CHECK(mark->time_ns == 6 && mark->label == label && mark->cell_count > 0);
    CHECK(recording_pin(read, PIN_DEATH)->cell_count == 0);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static size_t file_bytes(const char *path)
{
    struct stat status;
    CHECK(stat(path, &status) == 0);
    return (size_t)status.st_size;
}

static void a_peak_that_moves_every_second_does_not_fill_the_file(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    for (unsigned round = 0; round < 500; round++)
        sample_add_tables(recording, round);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    size_t tables = file_bytes(path);
    for (unsigned second = 1; second <= 300; second++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 0, second);
        sample_set_pin(recording, 0,
                       (struct pin){.kind = PIN_PEAK, .time_ns = second * SAMPLE_SECOND}, 5000);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(file_bytes(path) < tables + 80 * 1024 + 300 * 100);
    struct recording *read = read_or_fail(path);
    CHECK(recording_pin(read, PIN_PEAK)->time_ns == 300 * SAMPLE_SECOND);
    CHECK(recording_pin(read, PIN_PEAK)->cell_count > 4000);
    CHECK(read->buckets.count == 300 && !read->quality.coarsened);
    sample_check_equal_tables(recording, read);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_recording_that_was_read_can_be_written_again(void **state)
{
    (void)state;
    char *path = sample_path(), *copy_path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    sample_add_tables(recording, 0);
    for (unsigned i = 0; i < 50; i++)
        sample_add_bucket(recording, SAMPLE_SECOND, 40, i);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    recording_destroy(recording);

    struct recording *first = read_or_fail(path);
    struct sample_sums sums = sample_sum(first);
    writer = recording_writer_create(copy_path, 0, NULL);
    CHECK(recording_writer_finish(writer, first, NULL) == 0);
    struct recording *second = read_or_fail(copy_path);
    struct sample_sums first_again = sample_sum(first), second_sums = sample_sum(second);
    assert_memory_equal(&sums, &first_again, sizeof(sums));
    assert_memory_equal(&sums, &second_sums, sizeof(sums));
    CHECK(second->buckets.count == 50);
    recording_destroy(first);
    recording_destroy(second);
    sample_forget_path(path);
    sample_forget_path(copy_path);
}

/* Those that went are told by telling all again. */
static void marks_that_were_thinned_out_are_gone_from_the_file(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    for (uint32_t i = 1; i <= 3 * MARKS_MAX; i++) {
        CHECK(marks_add(&recording->marks, i % 10 ? MARK_INSTANT : MARK_BEGIN, STRING_EMPTY, i) ==
              0);
        if (i % 1000 == 0)
            CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording->marks.thinned > 1);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    struct recording *read = read_or_fail(path);
    sample_check_equal_tables(recording, read);
    CHECK(read->marks.left_out == recording->marks.left_out && read->marks.left_out > 0);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

/* Its pages are counted after its bounds were read. */
static void a_mapping_that_grew_while_it_was_looked_at_is_no_damage(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    struct mapping const mapping = {
        .start = 4096, .end = 8192, .resident = 12288, .count = 1, .owner = OWNER_OTHER};
    CHECK(vec_push(&recording->mappings.items, mapping));
    recording->mappings.time_ns = 1;
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    struct recording *read = read_or_fail(path);
    CHECK(read->quality.damaged_chunks == 0 && read->mappings.items.count == 1);
    CHECK(read->mappings.items.items[0].resident == 4096);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void the_file_is_for_its_owner_alone_and_replaces_only_files(void **state)
{
    (void)state;
    char *path = sample_path();
    struct fault fault = {0};
    struct recording *recording = recording_create();
    FILE *old = fopen(path, "w");
    fputs("somebody else's", old);
    fclose(old);
    chmod(path, 0666);
    CHECK(recording_writer_create(path, 0, &fault) == NULL &&
          strstr(fault.text, "not a recording"));
    CHECK(truncate(path, 0) == 0);
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    struct stat status;
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
    CHECK(recording_writer_create(path, 0, &fault) == NULL && strstr(fault.text, "another memoir"));
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    writer = recording_writer_create(path, 0, NULL); /* in place of the recording that is there */
    CHECK(writer && recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(recording_writer_create("/dev/null", 0, &fault) == NULL && strlen(fault.text) > 0);
    CHECK(recording_writer_create("/tmp", 0, &fault) == NULL);
    CHECK(recording_writer_create("/nonexistent/x", 0, &fault) == NULL);
    CHECK(access("/dev/null", W_OK) == 0);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void what_is_no_recording_is_refused_with_a_sentence(void **state)
{
    (void)state;
    struct fault fault = {0};
    CHECK(recording_read("/nonexistent", &fault) == NULL && strstr(fault.text, "/nonexistent"));
    CHECK(recording_read("/tmp", &fault) == NULL && strstr(fault.text, "regular"));
    CHECK(recording_read_bytes("", 0, &fault) == NULL && strstr(fault.text, "empty"));
    CHECK(recording_read_bytes("# a text file of some length\n", 29, &fault) == NULL);
    CHECK(strstr(fault.text, "not a memoir recording"));
    CHECK(!recording_recognise("# a text file", 13));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_back_as_it_was_put_in),
        cmocka_unit_test(tables_larger_than_a_chunk_come_back),
        cmocka_unit_test(rows_that_change_later_are_told_again),
        cmocka_unit_test(a_later_peak_replaces_the_one_before),
        cmocka_unit_test(a_peak_that_moves_every_second_does_not_fill_the_file),
        cmocka_unit_test(a_recording_that_was_read_can_be_written_again),
        cmocka_unit_test(marks_that_were_thinned_out_are_gone_from_the_file),
        cmocka_unit_test(a_mapping_that_grew_while_it_was_looked_at_is_no_damage),
        cmocka_unit_test(the_file_is_for_its_owner_alone_and_replaces_only_files),
        cmocka_unit_test(what_is_no_recording_is_refused_with_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
