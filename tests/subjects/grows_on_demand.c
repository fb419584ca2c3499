/* SPDX-License-Identifier: Apache-2.0 */
/* grows_on_demand: for every line on its input it allocates 100 blocks of 1000 bytes and keeps
 * them, and then says how many it has.  For tests that look at a program while it runs: they
 * know what it holds. */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BLOCKS 100

static NOINLINE void *grown_block(void)
{
    return malloc(1000);
}

static NOINLINE void grow(void)
{
    for (int i = 0; i < BLOCKS; i++)
        if (!grown_block())
            abort();
}

int main(void)
{
    char letter;
    unsigned lines = 0;
    say("ready\n");
    while (read(STDIN_FILENO, &letter, 1) == 1) {
        if (letter != '\n')
            continue;
        grow();
        lines++;
        say("%u\n", lines * BLOCKS);
    }
    return 0;
}
