/* SPDX-License-Identifier: Apache-2.0 */
#include "base/file_map.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define SIZE    (256u * 1024u + 100u)
#define THREADS 4

static int make_file(void)
{
    char path[] = "/tmp/file_map.XXXXXX", *bytes = malloc(SIZE);
    int fd = mkstemp(path);
    CHECK(fd >= 0 && bytes);
    unlink(path);
    memset(bytes, 'x', SIZE);
    CHECK(write(fd, bytes, SIZE) == (ssize_t)SIZE);
    free(bytes);
    return fd;
}

static size_t count_x(const char *bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < SIZE; i++)
        count += ((const volatile char *)bytes)[i] == 'x';
    return count;
}

TEST(what_was_cut_off_reads_as_zeroes)
{
    int fd = make_file(), other = make_file();
    char *bytes = file_map(fd, SIZE), *others = file_map(other, SIZE);
    CHECK(bytes && others && count_x(bytes) == SIZE && !file_map_was_cut(bytes));
    CHECK(ftruncate(fd, 10000) == 0);
    assert_int_equal(count_x(bytes), 10000);
    CHECK(file_map_was_cut(bytes) && !file_map_was_cut(others));
    bytes[SIZE - 1] = 'x'; /* libelf writes to it */
    CHECK(ftruncate(fd, 0) == 0);
    assert_int_equal(count_x(bytes), 1);
    assert_int_equal(count_x(others), SIZE);
    file_unmap(bytes, SIZE);
    file_unmap(others, SIZE);
    close(fd);
    close(other);
}

/* With all signals blocked, as threads of the recorder have them. */
static void *read_cut_files(void *context)
{
    sigset_t all;
    size_t *wrong = context;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    for (int i = 0; i < 50; i++) {
        int fd = make_file();
        char *bytes = file_map(fd, SIZE);
        *wrong += ftruncate(fd, 4096) < 0 || count_x(bytes) != 4096;
        file_unmap(bytes, SIZE);
        close(fd);
    }
    return NULL;
}

TEST(threads_do_so_at_once)
{
    pthread_t threads[THREADS];
    size_t wrong[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, read_cut_files, &wrong[i]) == 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

/* How a child ends that `work`s. */
static int signal_of(void (*work)(void))
{
    int status = 0;
    pid_t const child = fork();
    if (child == 0) {
        signal(SIGBUS, SIG_DFL); /* not the test runner's */
        int fd = make_file();
        (void)file_map(fd, SIZE);
        work();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void send_it(void)
{
    kill(getpid(), SIGBUS);
}

TEST(one_that_somebody_sends_still_ends_the_program)
{
    assert_int_equal(signal_of(send_it), SIGBUS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_cut_off_reads_as_zeroes),
        cmocka_unit_test(threads_do_so_at_once),
        cmocka_unit_test(one_that_somebody_sends_still_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
