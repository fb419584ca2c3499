/* SPDX-License-Identifier: Apache-2.0 */
/* A recorder that is killed at any moment, also while it rewrites its file, leaves one that opens;
 * and somebody may read all the while. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "sample.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"

#include "check.h"

/* Never returns: writes under a small cap until it is killed. */
static void record_until_killed(const char *path)
{
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 128 << 10, NULL);
    for (unsigned round = 0; round < 5; round++)
        sample_add_tables(recording, round);
    for (unsigned i = 0;; i++) {
        sample_add_bucket(recording, SAMPLE_SECOND, 50, i);
        sample_set_pin(recording, 0,
                       (struct pin){.kind = PIN_PEAK, .time_ns = i * SAMPLE_SECOND + 1}, 20);
        recording->cost.target_waits = i + 1; /* one per bucket, to compare with */
        if (recording_writer_append(writer, recording, NULL) < 0)
            _exit(1);
    }
}

static pid_t start_recorder(const char *path)
{
    pid_t pid = fork();
    if (pid == 0)
        record_until_killed(path);
    CHECK(pid > 0);
    return pid;
}

static void stop_recorder(pid_t pid)
{
    int status;
    CHECK(kill(pid, SIGKILL) == 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status)); /* it had not failed before */
}

static void check_whole(struct recording *read)
{
    size_t count = read->buckets.count;
    CHECK(read->quality.damaged_chunks == 0 && !read->quality.complete);
    if (count > 0)
        CHECK(read->buckets.items[count - 1].end_ns == read->cost.target_waits * SAMPLE_SECOND);
    sample_sum(read); /* fails the test when any bucket cannot be read */
}

/* A kill while a copy takes the place of its file may leave the name of the copy; the next
 * recording removes it. */
static void tidy(const char *path)
{
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    CHECK(writer && recording_writer_finish(writer, recording, NULL) == 0);
    recording_destroy(recording);
}

static void a_killed_recorder_leaves_a_file_that_opens(void **state)
{
    (void)state;
    char *path = sample_path();
    for (unsigned i = 0; i < 30; i++) {
        pid_t pid = start_recorder(path);
        usleep((useconds_t)(5000 + hash_mix(i + 1) % 60000));
        stop_recorder(pid);
        struct stat status;
        struct recording *read = recording_read(path, NULL);
        if (read) {
            check_whole(read);
            CHECK(!read->being_written);
        } else
            CHECK(stat(path, &status) < 0 || status.st_size <= 16); /* the file's header, or less */
        recording_destroy(read);
    }
    tidy(path);
    sample_forget_path(path);
}

static void a_file_can_be_read_all_the_while_it_is_written(void **state)
{
    (void)state;
    char *path = sample_path();
    pid_t pid = start_recorder(path);
    uint64_t calls = 0;
    unsigned opened = 0;
    for (unsigned i = 0; i < 2000 && opened < 100; i++) {
        struct recording *read = recording_read(path, NULL);
        if (!read) {
            usleep(1000); /* not there yet */
            continue;
        }
        check_whole(read);
        CHECK(read->being_written);
        CHECK(read->cost.target_waits >= calls);
        calls = read->cost.target_waits;
        opened++;
        recording_destroy(read);
    }
    stop_recorder(pid);
    CHECK(opened == 100 && calls > 0);
    tidy(path);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_recorder_leaves_a_file_that_opens),
        cmocka_unit_test(a_file_can_be_read_all_the_while_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
