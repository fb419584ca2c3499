/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spawn_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Runs a script of the shell, with its output in `said`.  Returns its wait status. */
static int run(struct spawn spawn, const char *script, char said[256])
{
    int files[] = {SPAWN_OURS, SPAWN_OURS, SPAWN_OURS};
    char name[] = "sh", option[] = "-c";
    char *const words[] = {name, option, (char *)script, NULL};
    int const fd = memfd_create("said", MFD_CLOEXEC);
    int status = -1;
    pid_t pid = 0;
    spawn.words = words;
    if (!spawn.program)
        spawn.program = "/bin/sh";
    if (spawn.files)
        memcpy(files, spawn.files, sizeof(files));
    if (files[1] == SPAWN_OURS)
        files[1] = fd;
    spawn.files = files;
    CHECK(spawn_program(&spawn, &pid) == 0 && pid > 0);
    CHECK(waitpid(pid, &status, 0) == pid);
    ssize_t const size = pread(fd, said, 255, 0);
    CHECK(size >= 0);
    said[size] = '\0';
    close(fd);
    return status;
}

static int file_with(const char *text)
{
    int const fd = memfd_create("given", MFD_CLOEXEC);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

TEST(standard_files_are_those_given)
{
    char said[256], wrong[64] = "";
    int const input = file_with("some words"), errors = file_with("");
    CHECK(run((struct spawn){.files = (int[]){input, SPAWN_OURS, errors}},
              "cat; echo no >&2; exit 3", said) == 3 << 8);
    CHECK(strcmp(said, "some words") == 0);
    CHECK(pread(errors, wrong, sizeof(wrong) - 1, 0) == 3 && strcmp(wrong, "no\n") == 0);
    close(input);
    close(errors);
    CHECK(run((struct spawn){.how = SPAWN_INPUT_EMPTY}, "cat", said) == 0 && !said[0]);
}

/* What the program would write to its output goes where our errors go. */
TEST(output_may_be_our_standard_error)
{
    char said[256], told[64] = "";
    int const ours = dup(STDERR_FILENO), fd = file_with("");
    CHECK(dup2(fd, STDERR_FILENO) == STDERR_FILENO);
    int const status =
        run((struct spawn){.files = (int[]){-1, STDERR_FILENO, -1}}, "echo here", said);
    CHECK(dup2(ours, STDERR_FILENO) == STDERR_FILENO && status == 0);
    CHECK(pread(fd, told, sizeof(told) - 1, 0) == 5 && strcmp(told, "here\n") == 0);
    close(ours);
    close(fd);
}

/* As in a process that was started with its standard files closed. */
TEST(low_descriptors_are_moved_before_they_are_overwritten)
{
    char said[256], told[64] = "";
    int const ours[] = {dup(0), dup(1)}, input = file_with("some words"), wrong = file_with("");
    int const output = memfd_create("output", MFD_CLOEXEC);
    CHECK(dup3(output, 0, O_CLOEXEC) == 0 && dup3(wrong, 1, O_CLOEXEC) == 1);
    int const status = run((struct spawn){.files = (int[]){input, 0, 1}}, "cat; echo no >&2", said);
    CHECK(dup2(ours[0], 0) == 0 && dup2(ours[1], 1) == 1 && status == 0);
    CHECK(pread(output, told, sizeof(told) - 1, 0) == 10 && strcmp(told, "some words") == 0);
    CHECK(pread(wrong, told, sizeof(told) - 1, 0) == 3 && memcmp(told, "no\n", 3) == 0);
    int const last[] = {ours[0], ours[1], input, wrong, output};
    for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
        close(last[i]);
    int const next = dup(0);
    CHECK(next == ours[0]); /* nothing else was left open */
    close(next);
}

/* It may be close-on-exec, and is at its place already. */
TEST(a_descriptor_at_its_place_stays_open)
{
    char said[256];
    int const ours = dup(0), input = file_with("words");
    CHECK(dup3(input, 0, O_CLOEXEC) == 0);
    int const status = run((struct spawn){.files = (int[]){0, -1, -1}}, "cat", said);
    CHECK(dup2(ours, 0) == 0 && status == 0 && strcmp(said, "words") == 0);
    close(ours);
    close(input);
}

TEST(other_descriptors_are_closed_when_asked)
{
    static const char script[] = "[ -e /proc/self/fd/77 ] && echo open || echo closed";
    char said[256];
    CHECK(dup2(STDIN_FILENO, 77) == 77); /* without close-on-exec */
    run((struct spawn){0}, script, said);
    CHECK(strcmp(said, "open\n") == 0);
    run((struct spawn){.how = SPAWN_CLOSES_OTHERS}, script, said);
    CHECK(strcmp(said, "closed\n") == 0);
    close(77);
}

TEST(signals_are_as_asked)
{
    static const char of_pipe[] = "kill -PIPE $$; echo lives";
    static const char of_user[] = "kill -USR1 $$; echo lives";
    char said[256];
    sigset_t user, before;
    signal(SIGPIPE, SIG_IGN);
    CHECK(run((struct spawn){0}, of_pipe, said) == 0);
    CHECK(run((struct spawn){.how = SPAWN_SIGPIPE}, of_pipe, said) == SIGPIPE && !said[0]);
    signal(SIGUSR1, SIG_IGN);
    CHECK(run((struct spawn){.how = SPAWN_SIGPIPE}, of_user, said) == 0);
    CHECK(run((struct spawn){.how = SPAWN_SIGNALS}, of_user, said) == SIGUSR1 && !said[0]);
    CHECK(run((struct spawn){.how = SPAWN_SIGNALS}, of_pipe, said) == SIGPIPE);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);
    sigprocmask(SIG_BLOCK, &user, &before);
    CHECK(run((struct spawn){0}, of_user, said) == 0);
    CHECK(run((struct spawn){.how = SPAWN_UNBLOCKED}, of_user, said) == SIGUSR1);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Fields 5 and 6 of stat: its group and its session. */
TEST(group_and_session_are_its_own_when_asked)
{
    static const char script[] = "read -r pid name state parent group session rest "
                                 "</proc/$$/stat; echo $((group == $$)) $((session == $$))";
    char said[256];
    run((struct spawn){0}, script, said);
    CHECK(strcmp(said, "0 0\n") == 0);
    run((struct spawn){.how = SPAWN_OWN_GROUP}, script, said);
    CHECK(strcmp(said, "1 0\n") == 0);
    run((struct spawn){.how = SPAWN_OWN_SESSION}, script, said);
    CHECK(strcmp(said, "1 1\n") == 0);
}

TEST(environment_is_ours_or_the_one_given)
{
    char one[] = "WORD=given", said[256];
    char *const environment[] = {one, NULL};
    setenv("WORD", "ours", 1);
    run((struct spawn){0}, "echo $WORD", said);
    CHECK(strcmp(said, "ours\n") == 0);
    run((struct spawn){.environment = environment}, "echo $WORD", said);
    CHECK(strcmp(said, "given\n") == 0);
}

TEST(what_is_not_there_is_not_started)
{
    char name[] = "sh", said[256];
    char *const words[] = {name, NULL};
    pid_t pid = -7;
    CHECK(spawn_program(&(struct spawn){.program = "/no/such", .words = words}, &pid) == -ENOENT);
    CHECK(spawn_program(&(struct spawn){.program = "sh", .words = words}, &pid) == -ENOENT);
    CHECK(pid == -7);
    CHECK(run((struct spawn){.program = "sh", .how = SPAWN_BY_NAME}, "exit 4", said) == 4 << 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_files_are_those_given),
        cmocka_unit_test(output_may_be_our_standard_error),
        cmocka_unit_test(low_descriptors_are_moved_before_they_are_overwritten),
        cmocka_unit_test(a_descriptor_at_its_place_stays_open),
        cmocka_unit_test(other_descriptors_are_closed_when_asked),
        cmocka_unit_test(signals_are_as_asked),
        cmocka_unit_test(group_and_session_are_its_own_when_asked),
        cmocka_unit_test(environment_is_ours_or_the_one_given),
        cmocka_unit_test(what_is_not_there_is_not_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
