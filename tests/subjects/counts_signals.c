/* SPDX-License-Identifier: Apache-2.0 */
/* Says when it is ready, counts SIGRTMIN + 1 and SIGCONT, and prints both counts at SIGTERM. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "subject.h"

static volatile sig_atomic_t queued, continued, is_over;

static void count(int number)
{
    queued += number == SIGRTMIN + 1;
    continued += number == SIGCONT;
    is_over |= number == SIGTERM;
}

int main(void)
{
    struct sigaction const action = {.sa_handler = count};
    sigset_t all, before;
    sigaction(SIGRTMIN + 1, &action, NULL);
    sigaction(SIGCONT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    free(malloc(100));
    dprintf(1, "ready\n");
    while (!is_over)
        sigsuspend(&before);
    printf("%d queued, %s\n", (int)queued, continued ? "continued" : "not continued");
    return 0;
}
