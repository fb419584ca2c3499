/* SPDX-License-Identifier: Apache-2.0 */
/* exits N: status N.  exits signal N: dies of signal N, after 10 blocks of 100 bytes in before_end.
 */
#include "subject.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static NOINLINE void before_end(void)
{
    for (int i = 0; i < 10; i++) {
        void *volatile at = malloc(100);
        (void)at;
    }
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    before_end();
    if (argc == 3 && strcmp(argv[1], "signal") == 0) {
        signal(atoi(argv[2]), SIG_DFL);
        raise(atoi(argv[2]));
        return 98;
    }
    return argc > 1 ? atoi(argv[1]) : 0;
}
