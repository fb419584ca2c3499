/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/lifeline.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

#define SHORT_NS 100000000u
#define LONG_NS  3000000000u /* longer than a busy machine keeps a process waiting */

static _Atomic uint64_t progress;
static int told[2];

static void tell(void *context)
{
    (void)context;
    ssize_t const ignored = write(told[1], "x", 1);
    (void)ignored;
}

/* A recorder that was told to end and does not, with or without signs of life for some seconds.  Its exit status. */
static int status_of_stuck(bool lives)
{
    pid_t const pid = fork();
    if (pid == 0) {
        struct lifeline_options const options = {lives ? LONG_NS : SHORT_NS, &progress, NULL, tell,
                                                 NULL};
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        struct lifeline *lifeline = lifeline_tie(&options);
        lifeline_pull();
        for (int i = 0; i < (lives ? 400 : 6000); i++) {
            progress += lives;
            usleep(10000);
        }
        lifeline_untie(lifeline);
        _exit(7);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(who_does_not_end_is_ended_and_lets_go)
{
    char word = 0;
    CHECK(pipe(told) == 0);
    assert_int_equal(status_of_stuck(false), 1);
    CHECK(read(told[0], &word, 1) == 1 && word == 'x');
}

TEST(who_makes_progress_is_left_alone)
{
    CHECK(pipe(told) == 0);
    assert_int_equal(status_of_stuck(true), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_does_not_end_is_ended_and_lets_go),
        cmocka_unit_test(who_makes_progress_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
