/* SPDX-License-Identifier: Apache-2.0 */
/* A handler on an alternate stack allocates: 100 blocks of 128 bytes in in_handler, reached through
 * the signal frame from raise_here; and 100 of 256 bytes from a handler on the ordinary stack. */
#include "subject.h"

#include <signal.h>
#include <stdlib.h>

static char alternate[64 << 10];

static NOINLINE void in_handler(int number)
{
    void *volatile at = malloc(number == SIGUSR1 ? 128 : 256);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void raise_here(int number)
{
    raise(number);
    KEEP_FRAME();
}

int main(void)
{
    stack_t stack = {.ss_sp = alternate, .ss_size = sizeof(alternate)};
    struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&stack, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        return 1;
    action.sa_flags = 0;
    if (sigaction(SIGUSR2, &action, NULL) != 0)
        return 1;
    for (int i = 0; i < 100; i++) {
        raise_here(SIGUSR1);
        raise_here(SIGUSR2);
    }
    return 0;
}
