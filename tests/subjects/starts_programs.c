/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the program given in six ways, and says how each ended. */
#include "subject.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static int wait_for(pid_t child)
{
    int status;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(int argc, char **argv)
{
    pid_t child = 0;
    if (argc < 2)
        return 2;
    char *const arguments[] = {argv[1], NULL};
    int error = posix_spawn(&child, argv[1], NULL, NULL, arguments, environ);
    int ended = wait_for(child);
    say("posix_spawn %d %d\n", error, ended);
    error = posix_spawnp(&child, argv[1], NULL, NULL, arguments, environ);
    ended = wait_for(child);
    say("posix_spawnp %d %d\n", error, ended);
    say("system %d\n", system(argv[1]));
    FILE *const pipe = popen(argv[1], "r");
    while (pipe && getc(pipe) != EOF)
        continue; /* Otherwise the pipe may be closed while the program writes to it. */
    say("popen %d\n", pipe ? pclose(pipe) : -1);
    if ((child = fork()) == 0) {
        execv(argv[1], arguments);
        _exit(99);
    }
    say("execv %d\n", wait_for(child));
    execlp(argv[1], argv[1], (char *)NULL);
    return 98;
}
