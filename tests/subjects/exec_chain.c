/* SPDX-License-Identifier: Apache-2.0 */
/* exec_chain N: makes N blocks of 1000 bytes in in_link, then becomes exec_chain N-1; at 0 it exits
 * with status 5. */
#include "subject.h"

#include <stdlib.h>

static NOINLINE void in_link(int count)
{
    for (int i = 0; i < count; i++) {
        void *volatile at = malloc(1000);
        (void)at;
    }
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    int left = argc > 1 ? atoi(argv[1]) : 3;
    char number[16];
    in_link(left);
    if (left == 0)
        return 5;
    snprintf(number, sizeof(number), "%d", left - 1);
    execl("/proc/self/exe", argv[0], number, NULL);
    return 9;
}
