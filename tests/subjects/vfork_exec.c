/* SPDX-License-Identifier: Apache-2.0 */
/* Starts programs by vfork, posix_spawn and system, between allocations of its own: 50 blocks of
 * 100 bytes in around_children, and none of the children's. */
#include "subject.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>

extern char **environ;

static NOINLINE void around_children(void)
{
    void *volatile at = malloc(100);
    (void)at;
    KEEP_FRAME();
}

static int ended_well(pid_t pid)
{
    int status;
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static pid_t start_by_vfork(char *const arguments[])
{
    pid_t pid = vfork();
    if (pid == 0) {
        execv("/bin/true", arguments);
        _exit(9);
    }
    return pid;
}

static int run_a_child(int way)
{
    char *const arguments[] = {"true", NULL};
    pid_t pid;
    if (way == 0)
        return ended_well(start_by_vfork(arguments));
    if (way == 1)
        return posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, environ) == 0 &&
               ended_well(pid);
    return system("true") == 0;
}

int main(void)
{
    int failures = 0;
    for (int i = 0; i < 50; i++) {
        around_children();
        failures += !run_a_child(i % 3);
    }
    say("%d failures\n", failures);
    return failures;
}
