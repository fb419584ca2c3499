/* SPDX-License-Identifier: Apache-2.0 */
/* Makes 5 blocks of 1000 bytes in before_fork and becomes a daemon (fork, setsid, fork), which
 * rests without a word for the milliseconds it is told, and only then makes 10 in in_daemon. */
#include "subject.h"

#include <stdlib.h>
#include <time.h>

static NOINLINE void make(int count)
{
    for (int i = 0; i < count; i++) {
        void *volatile at = malloc(1000);
        (void)at;
    }
    KEEP_FRAME();
}

static NOINLINE void before_fork(void)
{
    make(5);
    KEEP_FRAME();
}

static NOINLINE void in_daemon(void)
{
    make(10);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    long const rest_ms = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    struct timespec const rest = {rest_ms / 1000, rest_ms % 1000 * 1000000};
    before_fork();
    if (fork() != 0)
        _exit(0);
    setsid();
    if (fork() != 0)
        _exit(0);
    nanosleep(&rest, NULL);
    in_daemon();
    return 0;
}
