/* SPDX-License-Identifier: Apache-2.0 */
/* A disk that stands still for a while: its writes wait at a gate of ours. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sample.h"
#include "store/read/recording_reader.h"
#include "store/write/recording_writer.h"
#include "store/write/write_behind.h"

#include "check.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_closed;

/* In place of the C library's. */
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
    pthread_mutex_lock(&lock);
    while (is_closed)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return syscall(SYS_pwrite64, fd, data, size, offset);
}

static void set_gate(bool closed)
{
    pthread_mutex_lock(&lock);
    is_closed = closed;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
}

static void *open_later(void *context)
{
    (void)context;
    usleep(100000);
    set_gate(false);
    return NULL;
}

/* Fills what may wait with the writes of another file, until there is no room. */
static struct late_file *crowd(struct write_behind *behind, int fd)
{
    static char megabyte[1 << 20];
    struct late_file *file = late_file_open(behind, fd);
    int err = 0;
    CHECK(file);
    for (unsigned i = 0; i < 100 && err == 0; i++)
        err = late_file_put(file, megabyte, sizeof(megabyte), 0);
    CHECK(err == -EBUSY);
    while ((err = late_file_put(file, megabyte, 1, 0)) == 0)
        ;
    return file;
}

TEST(the_end_of_a_recording_waits_for_a_slow_disk)
{
    char *path = sample_path();
    struct write_behind *behind = write_behind_create();
    struct recording *recording = recording_create();
    struct recording_writer *writer = recording_writer_create(path, 0, NULL);
    struct fault fault = {0};
    pthread_t opener;
    int const other = open("/dev/null", O_WRONLY);
    CHECK(behind && writer && other >= 0);
    recording_writer_write_behind(writer, behind);
    sample_add_tables(recording, 1);
    sample_add_bucket(recording, SAMPLE_SECOND, 50, 1);
    set_gate(true);
    struct late_file *crowded = crowd(behind, other);
    pthread_create(&opener, NULL, open_later, NULL);
    if (recording_writer_finish(writer, recording, &fault) < 0)
        fail_msg("%s", fault.text);
    pthread_join(opener, NULL);
    struct recording *read = recording_read(path, NULL);
    CHECK(read && read->quality.complete && read->buckets.count == 1);
    recording_destroy(read);
    recording_destroy(recording);
    late_file_close(crowded);
    write_behind_destroy(behind);
    close(other);
    sample_forget_path(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_a_recording_waits_for_a_slow_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
