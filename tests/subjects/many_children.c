/* SPDX-License-Identifier: Apache-2.0 */
/* many_children COUNT [together]: keeps a block of 300 bytes from in_parent and forks COUNT
 * children that each keep one of 100 from in_child; one after the other, or so that all are
 * there at the same time. */
#include "subject.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static NOINLINE void in_child(void)
{
    void *volatile at = malloc(100);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void in_parent(void)
{
    void *volatile at = malloc(300);
    (void)at;
    KEEP_FRAME();
}

static void wait_for_end_of(int gate)
{
    char byte;
    while (read(gate, &byte, 1) > 0)
        ;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : 1, gate[2], failures = 0;
    bool together = argc > 2 && strcmp(argv[2], "together") == 0;
    if (pipe(gate) < 0)
        return 1;
    in_parent();
    for (int i = 0; i < count; i++) {
        pid_t child = fork();
        if (child == 0) {
            close(gate[1]);
            in_child();
            if (together)
                wait_for_end_of(gate[0]);
            _exit(0);
        }
        int status = 0;
        if (child < 0 || (!together && waitpid(child, &status, 0) != child) || status != 0)
            failures++;
    }
    close(gate[1]);
    for (int i = 0; together && i < count; i++) {
        int status;
        if (wait(&status) < 0 || status != 0)
            failures++;
    }
    say("%d failures\n", failures);
    return failures > 0;
}
