/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody follows a file while it is written: what he has is always what a new reader would
 * see. */
#include "store/read/recording_follow.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "sample.h"
#include "store/chunks/chunk.h"
#include "store/read/recording_reader.h"
#include "store/write/growing_file.h"
#include "store/write/recording_writer.h"

#include "check.h"

static struct recording_follower *follow(const char *path)
{
    struct fault fault = {0};
    struct recording_follower *follower = recording_follow(path, &fault);
    if (!follower)
        fail_msg("%s", fault.text);
    return follower;
}

static void check_as_read_anew(struct recording_follower *follower, const char *path)
{
    struct recording *followed = recording_followed(follower), *read = recording_read(path, NULL);
    CHECK(read != NULL);
    sample_check_equal_tables(read, followed);
    CHECK(followed->buckets.count == read->buckets.count);
    CHECK(followed->pins.count == read->pins.count);
    for (size_t i = 0; i < read->pins.count; i++) {
        CHECK(followed->pins.items[i].time_ns == read->pins.items[i].time_ns);
        CHECK(followed->pins.items[i].cell_count == read->pins.items[i].cell_count);
    }
    CHECK(followed->heap.calls == read->heap.calls);
    CHECK(followed->duration_ns == read->duration_ns);
    CHECK(followed->being_written == read->being_written);
    CHECK(followed->quality.complete == read->quality.complete);
    struct sample_sums const a = sample_sum(followed), b = sample_sum(read);
    assert_memory_equal(&a, &b, sizeof(a));
    recording_destroy(read);
}

/* As an analysis does that makes up names for frames without one. */
static void make_up_names(struct recording *recording, unsigned round)
{
    char name[32];
    for (unsigned i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "made-up-%u-%u", round, i);
        string_id const id = recording_intern(recording, name);
        assert_string_equal(recording_text(recording, id), name);
        CHECK(recording_intern(recording, name) == id);
    }
}

static void a_follower_has_what_a_new_reader_has(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    struct recording_follower *follower = follow(path);
    for (unsigned round = 0; round < 20; round++) {
        sample_add_tables(recording, round);
        sample_add_bucket(recording, SAMPLE_SECOND, round * 30, round);
        if (round % 3 == 0)
            sample_set_pin(recording, 0,
                           (struct pin){.kind = PIN_PEAK, .time_ns = round * SAMPLE_SECOND}, 10);
        recording->heap.calls = round + 1;
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
        CHECK(recording_follower_refresh(follower, NULL) == FOLLOW_GROWN);
        check_as_read_anew(follower, path);
        make_up_names(recording_followed(follower), round);
        CHECK(recording_follower_refresh(follower, NULL) == FOLLOW_NOTHING);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    CHECK(recording_follower_refresh(follower, NULL) > FOLLOW_NOTHING);
    check_as_read_anew(follower, path);
    CHECK(recording_follower_refresh(follower, NULL) == FOLLOW_NOTHING);
    recording_follower_close(follower);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_coarser_copy_is_taken_up(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 64 << 10, NULL);
    unsigned replaced = 0;
    sample_add_tables(recording, 0);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    struct recording_follower *follower = follow(path);
    for (unsigned i = 0; i < 1500; i++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 40, i);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
        int const news = recording_follower_refresh(follower, NULL);
        CHECK(news == FOLLOW_GROWN || news == FOLLOW_REPLACED);
        replaced += news == FOLLOW_REPLACED;
        if (i % 100 == 0)
            check_as_read_anew(follower, path);
    }
    CHECK(replaced > 0);
    check_as_read_anew(follower, path);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    recording_follower_close(follower);
    recording_destroy(recording);
    sample_forget_path(path);
}

/* Writes `size` bytes to a file in pieces of any length, as a slow copy would. */
static void grow_in_pieces(const char *path, const unsigned char *bytes, size_t size, unsigned seed)
{
    struct recording_follower *follower = NULL;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (size_t at = 0; at < size;) {
        size_t piece = 1 + hash_mix(at + seed * 1000003u) % (size / 20);
        if (piece > size - at || at == 0)
            piece = at == 0 ? 70 : size - at;
        CHECK(write(fd, bytes + at, piece) == (ssize_t)piece);
        at += piece;
        if (!follower)
            follower = follow(path);
        else
            CHECK(recording_follower_refresh(follower, NULL) > FOLLOW_NOTHING);
        make_up_names(recording_followed(follower), (unsigned)at);
        CHECK(recording_follower_refresh(follower, NULL) == FOLLOW_NOTHING);
    }
    close(fd);
    check_as_read_anew(follower, path);
    CHECK(recording_followed(follower)->quality.complete);
    recording_follower_close(follower);
}

static void a_file_that_comes_in_any_pieces_ends_up_whole(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    size_t size;
    for (unsigned round = 0; round < 10; round++) {
        sample_add_tables(recording, round);
        sample_add_bucket(recording, SAMPLE_SECOND, 200, round);
        CHECK(recording_writer_append(writer, recording, NULL) == 0);
    }
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    unsigned char *bytes = sample_slurp(path, &size);
    for (unsigned seed = 0; seed < 30; seed++)
        grow_in_pieces(path, bytes, size, seed);
    free(bytes);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void what_is_no_recording_is_refused(void **state)
{
    (void)state;
    struct fault fault = {0};
    CHECK(recording_follow("/no/such/file", &fault) == NULL && fault.text[0]);
    CHECK(recording_follow("/dev/null", &fault) == NULL && fault.text[0]);
    CHECK(recording_follow("/proc/self/exe", &fault) == NULL && fault.text[0]);
}

static void *write_after_a_while(void *context)
{
    struct growing_file *file = context;
    uint8_t header[FILE_HEADER_BYTES];
    file_header_put(header);
    nanosleep(&(struct timespec){0, 200000000l}, NULL);
    CHECK(growing_file_append(file, header, sizeof(header)) == 0);
    return NULL;
}

static void a_file_that_has_just_been_made_is_waited_for(void **state)
{
    (void)state;
    char *path = sample_path();
    struct growing_file file;
    struct fault fault = {0};
    pthread_t writer;
    CHECK(growing_file_create(&file, path) == 0);
    CHECK(recording_read(path, &fault) == NULL && strstr(fault.text, "has just begun"));
    CHECK(pthread_create(&writer, NULL, write_after_a_while, &file) == 0);
    struct recording_follower *follower = follow(path);
    CHECK(recording_followed(follower)->being_written);
    pthread_join(writer, NULL);
    growing_file_close(&file);
    recording_follower_close(follower);

    /* Nobody writes this one. */
    int const fd = open(path, O_WRONLY | O_TRUNC);
    close(fd);
    CHECK(recording_follow(path, &fault) == NULL && strstr(fault.text, "the file is empty"));
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_follower_has_what_a_new_reader_has),
        cmocka_unit_test(a_coarser_copy_is_taken_up),
        cmocka_unit_test(a_file_that_comes_in_any_pieces_ends_up_whole),
        cmocka_unit_test(what_is_no_recording_is_refused),
        cmocka_unit_test(a_file_that_has_just_been_made_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
