/* SPDX-License-Identifier: Apache-2.0 */
/* A process with two children, each with two children (DEPTH levels).  Every process allocates ten
 * blocks of 1000 bytes in in_process after its birth; the first has five more from before, and
 * every child frees its copies of those. */
#include "subject.h"

#include <stdlib.h>
#include <sys/wait.h>

#define DEPTH 2

static void *inherited[5];

static NOINLINE void *before_fork(void)
{
    void *at = malloc(500);
    KEEP_FRAME();
    return at;
}

static NOINLINE void in_process(void)
{
    for (int i = 0; i < 10; i++) {
        void *volatile at = malloc(1000);
        (void)at;
    }
    KEEP_FRAME();
}

static int grow_tree(int depth)
{
    pid_t children[2] = {0, 0};
    int failures = 0;
    in_process();
    for (int i = 0; depth > 0 && i < 2; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            for (int k = 0; depth == DEPTH && k < 5; k++)
                free(inherited[k]);
            exit(grow_tree(depth - 1));
        }
    }
    for (int i = 0; depth > 0 && i < 2; i++) {
        int status;
        if (waitpid(children[i], &status, 0) != children[i] || status != 0)
            failures++;
    }
    return failures;
}

int main(void)
{
    for (int i = 0; i < 5; i++)
        inherited[i] = before_fork();
    int failures = grow_tree(DEPTH);
    say("%d failures\n", failures);
    return failures;
}
