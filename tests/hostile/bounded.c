/* SPDX-License-Identifier: Apache-2.0 */
/* bounded SECONDS COMMAND...: runs it, waits for it and for all that it leaves behind, and prints
 * "status N" or "does not end", and "peak N", the most MiB that any process of it had. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void ring(int number)
{
    (void)number;
}

/* The status of `child`, once nobody is left. */
static bool wait_for_all(pid_t child, int *status)
{
    int one;
    for (pid_t ended; (ended = waitpid(-1, &one, 0)) > 0;)
        if (ended == child)
            *status = one;
    return errno == ECHILD;
}

/* Whatever there is of it: children of children come to us. */
static void end_all(void)
{
    for (int round = 0; round < 100; round++) {
        char path[64];
        int pid;
        snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
        FILE *children = fopen(path, "r");
        while (children && fscanf(children, "%d", &pid) == 1)
            kill(pid, SIGKILL);
        if (children)
            fclose(children);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
        usleep(1000);
    }
}

int main(int count, char **words)
{
    struct sigaction const action = {.sa_handler = ring}; /* which ends waitpid */
    struct rusage usage;
    int status = 0;
    if (count < 3)
        return 2;
    sigaction(SIGALRM, &action, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t const child = fork();
    if (child == 0) {
        execvp(words[2], words + 2);
        _exit(127);
    }
    alarm((unsigned)strtoul(words[1], NULL, 10));
    bool const has_ended = wait_for_all(child, &status);
    if (!has_ended)
        end_all();
    getrusage(RUSAGE_CHILDREN, &usage);
    if (!has_ended)
        printf("does not end\n");
    else
        printf("status %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    printf("peak %ld\n", usage.ru_maxrss / 1024);
    return 0;
}
