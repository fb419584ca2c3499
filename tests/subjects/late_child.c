/* SPDX-License-Identifier: Apache-2.0 */
/* Makes 1000 blocks of 32 bytes in before_fork and forks.  The parent frees every other of them
 * and makes 700 more in after_fork, partly where those were.  Only then, told through a pipe,
 * the child frees its copies of all 1000, and makes 10 blocks in in_child. */
#include "subject.h"

#include <stdlib.h>
#include <sys/wait.h>

#define BLOCKS 1000

static void *blocks[BLOCKS];

static NOINLINE void *before_fork(void)
{
    void *at = malloc(32);
    KEEP_FRAME();
    return at;
}

static NOINLINE void after_fork(void)
{
    for (int i = 0; i < 700; i++) {
        void *volatile at = malloc(32);
        (void)at;
    }
    KEEP_FRAME();
}

static NOINLINE void in_child(void)
{
    for (int i = 0; i < 10; i++) {
        void *volatile at = malloc(100);
        (void)at;
    }
    KEEP_FRAME();
}

static void free_blocks(int step)
{
    for (int i = 0; i < BLOCKS; i += step)
        free(blocks[i]);
}

int main(void)
{
    int gate[2], status = -1;
    char byte = 0;
    for (int i = 0; i < BLOCKS; i++)
        blocks[i] = before_fork();
    if (pipe(gate) < 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        if (read(gate[0], &byte, 1) != 1)
            _exit(1);
        free_blocks(1);
        in_child();
        _exit(0);
    }
    free_blocks(2);
    after_fork();
    usleep(300000); /* until the recorder has read all that */
    if (write(gate[1], &byte, 1) != 1 || waitpid(child, &status, 0) != child)
        return 1;
    say("%d\n", status);
    return 0;
}
