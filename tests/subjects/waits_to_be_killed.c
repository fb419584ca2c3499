/* SPDX-License-Identifier: Apache-2.0 */
/* Makes COUNT blocks (100 000 unless told) of 40 bytes in in_prey, frees every fourth, says its pid
 * and the bytes it holds, and waits for the end. */
#include "subject.h"

#include <stdlib.h>

static NOINLINE void *in_prey(void)
{
    void *at = malloc(40);
    KEEP_FRAME();
    return at;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 100000, held = 0;
    for (long i = 0; i < count; i++) {
        void *at = in_prey();
        if (i % 4 == 3)
            free(at);
        else
            held += 40;
    }
    say("%d %ld\n", getpid(), held);
    for (;;)
        pause();
}
