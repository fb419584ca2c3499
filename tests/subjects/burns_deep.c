/* SPDX-License-Identifier: Apache-2.0 */
/* burns_deep SECONDS DEPTH: burns at the bottom of a recursion so deep. */
#include "cpu_subject.h"

static uint64_t until;

static NOINLINE void bottom(void)
{
    while (now_ns(CLOCK_MONOTONIC) < until)
        spin(1000);
    KEEP_FRAME();
}

static NOINLINE void descend(unsigned depth)
{
    if (depth == 0)
        bottom();
    else
        descend(depth - 1);
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    say_and_wait("ready");
    until = now_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000u;
    descend(argc > 2 ? (unsigned)atoi(argv[2]) : 100);
    say_and_wait("done");
    return 0;
}
