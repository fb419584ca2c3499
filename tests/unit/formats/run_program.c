/* SPDX-License-Identifier: Apache-2.0 */
#include "run_program.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char *const argv[], int write_end)
{
    dup2(write_end, 1);
    dup2(write_end, 2);
    setenv("ASAN_OPTIONS", "", 1);
    execvp(argv[0], argv);
    _exit(127);
}

int run_program(char *const argv[], char *out, size_t size)
{
    int ends[2], status;
    size_t used = 0;
    char rest[4096];
    if (pipe(ends) < 0)
        return -1;
    pid_t child = fork();
    if (child == 0)
        become(argv, ends[1]);
    close(ends[1]);
    for (;;) {
        char *to = used + 1 < size ? out + used : rest;
        size_t room = used + 1 < size ? size - 1 - used : sizeof(rest);
        ssize_t got = child < 0 ? 0 : read(ends[0], to, room);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += to == rest ? 0 : (size_t)got;
    }
    out[used] = '\0';
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return -1;
    return WEXITSTATUS(status) == 127 ? -1 : WEXITSTATUS(status);
}
