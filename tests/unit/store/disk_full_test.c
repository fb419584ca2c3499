/* SPDX-License-Identifier: Apache-2.0 */
/* A file size limit makes write() fail half-way, exactly as a full disk does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"

#include "check.h"

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    limit.rlim_cur = bytes;
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static size_t file_bytes(const char *path)
{
    struct stat status;
    CHECK(stat(path, &status) == 0);
    return (size_t)status.st_size;
}

static void nothing_is_lost_while_the_disk_is_full_for_a_while(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    struct sample_sums sums = {.live_max = -1};
    struct fault fault = {0};
    size_t failures = 0;
    for (unsigned i = 0; i < 3000; i++) {
        if (i == 100)
            limit_files(file_bytes(path) + 100); /* less than a chunk: torn in the middle */
        if (i == 2500)
            limit_files(RLIM_INFINITY);
        if (i % 20 == 0)
            sample_add_tables(recording, i / 20);
        sample_add_bucket(recording, SAMPLE_SECOND, 50, i);
        sample_sum_bucket(&sums, &recording->buckets.items[recording->buckets.count - 1]);
        if (recording_writer_append(writer, recording, &fault) < 0) {
            CHECK(strlen(fault.text) > 0);
            failures++;
        }
        if (i == 200) { /* meanwhile the file is whole */
            struct recording *read = recording_read(path, NULL);
            CHECK(read && read->quality.truncated_bytes == 0 && read->buckets.count >= 100);
            recording_destroy(read);
        }
        CHECK(i >= 2500 || recording->buckets.count < 400); /* the unwritten are merged */
    }
    CHECK(failures == 2400);
    CHECK(recording_writer_finish(writer, recording, &fault) == 0);
    struct recording *read = recording_read(path, NULL);
    struct sample_sums got = sample_sum(read);
    assert_memory_equal(&sums, &got, sizeof(sums));
    CHECK(read->quality.damaged_chunks == 0 && read->quality.coarsened);
    sample_check_equal_tables(recording, read);
    recording_destroy(read);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void a_copy_that_does_not_fit_leaves_the_file_as_it_was(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 64 << 10, NULL);
    struct fault fault = {0};
    sample_add_tables(recording, 0);
    CHECK(recording_writer_append(writer, recording, NULL) == 0);
    int err = 0;
    for (unsigned i = 0; i < 1000 && err == 0; i++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 50, i);
        if (file_bytes(path) > 50 << 10)
            limit_files(2 << 10); /* new files stay tiny; the old one cannot grow either */
        err = recording_writer_append(writer, recording, &fault);
    }
    limit_files(RLIM_INFINITY);
    CHECK(err < 0);
    struct recording *read = recording_read(path, NULL);
    CHECK(read && read->quality.truncated_bytes == 0 && read->buckets.count > 50);
    recording_destroy(read);
    CHECK(recording_writer_finish(writer, recording, NULL) == 0);
    recording_destroy(recording);
    sample_forget_path(path);
}

static void finishing_on_a_full_disk_is_told(void **state)
{
    (void)state;
    char *path = sample_path();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    struct fault fault = {0};
    sample_add_tables(recording, 0);
    sample_add_bucket(recording, SAMPLE_SECOND, 500, 1);
    limit_files(100);
    CHECK(recording_writer_finish(writer, recording, &fault) < 0 && strlen(fault.text) > 0);
    limit_files(RLIM_INFINITY);
    CHECK(!recording->quality.complete);
    recording_destroy(recording);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_while_the_disk_is_full_for_a_while),
        cmocka_unit_test(a_copy_that_does_not_fit_leaves_the_file_as_it_was),
        cmocka_unit_test(finishing_on_a_full_disk_is_told),
    };
    signal(SIGXFSZ, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
