/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/choice/exit_status.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "procfs/process/proc_asked.h"

static pid_t child;

/* Dies of `number`, or ends with status 7 if that is 0.  Returns a pidfd; nobody has asked yet. */
static int begin(int number)
{
    child = fork();
    if (child == 0) {
        if (number)
            raise(number);
        _exit(7);
    }
    int const pidfd = (int)syscall(SYS_pidfd_open, child, 0);
    CHECK(poll(&(struct pollfd){pidfd, POLLIN, 0}, 1, -1) == 1 && process_has_ended(pidfd));
    return pidfd;
}

static void ask(void)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child);
}

/* Before Linux 6.15 nobody tells. */
static bool kernel_remembers(void)
{
    int const pidfd = begin(SIGKILL);
    ask();
    int const status = process_exit_status(pidfd, child);
    CHECK(status == SIGKILL || status == -1);
    close(pidfd);
    return status >= 0;
}

TEST(a_zombie_tells_how_it_ended)
{
    int pidfd = begin(SIGKILL);
    CHECK(process_exit_status(pidfd, child) == SIGKILL);
    ask();
    close(pidfd);
    pidfd = begin(0);
    CHECK(process_exit_status(pidfd, child) == 7 << 8);
    ask();
    close(pidfd);
}

/* The parent's question comes just before ours. */
static ssize_t read_too_late(uint32_t pid, uint32_t tid, enum proc_file file, char *text,
                             size_t size)
{
    (void)tid;
    CHECK(pid == (uint32_t)child && file == PROC_STAT && size > 0);
    ask();
    text[0] = '\0';
    return -ENOENT;
}

TEST(a_parent_that_asks_meanwhile_hides_nothing)
{
    static const struct proc_asked late = {.read = read_too_late};
    if (!kernel_remembers())
        skip();
    int const pidfd = begin(SIGKILL);
    proc_ask_by(&late);
    CHECK(process_exit_status(pidfd, child) == SIGKILL);
    proc_ask_by(NULL);
    close(pidfd);
}

/* Nor does one whose question is being answered. */
static ssize_t read_while_it_goes(uint32_t pid, uint32_t tid, enum proc_file file, char *text,
                                  size_t size)
{
    (void)tid;
    (void)file;
    int length = snprintf(text, size, "%u (sh) X", pid);
    for (int field = 4; field <= 51; field++)
        length += snprintf(text + length, size - (size_t)length, " 0");
    length += snprintf(text + length, size - (size_t)length, " 9\n");
    return length;
}

TEST(one_that_is_being_taken_away_tells_too)
{
    static const struct proc_asked going = {.read = read_while_it_goes};
    int const pidfd = begin(SIGKILL);
    proc_ask_by(&going);
    CHECK(process_exit_status(pidfd, child) == SIGKILL);
    proc_ask_by(NULL);
    ask();
    close(pidfd);
}

/* A keeper that does not know it (any more) says how it ended to nobody. */
static ssize_t read_of_a_stranger(uint32_t pid, uint32_t tid, enum proc_file file, char *text,
                                  size_t size)
{
    ssize_t const length = read_while_it_goes(pid, tid, file, text, size);
    text[length - 2] = '-';
    return length;
}

TEST(what_is_not_told_is_no_good_end)
{
    static const struct proc_asked stranger = {.read = read_of_a_stranger};
    int const pidfd = begin(SIGKILL);
    proc_ask_by(&stranger);
    CHECK(process_exit_status(pidfd, child) == -1);
    proc_ask_by(NULL);
    ask();
    close(pidfd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zombie_tells_how_it_ended),
        cmocka_unit_test(a_parent_that_asks_meanwhile_hides_nothing),
        cmocka_unit_test(one_that_is_being_taken_away_tells_too),
        cmocka_unit_test(what_is_not_told_is_no_good_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
