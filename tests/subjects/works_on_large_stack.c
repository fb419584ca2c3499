/* SPDX-License-Identifier: Apache-2.0 */
/* works_on_large_stack SECONDS KIB: works and sleeps in turn, with so much of its stack in use,
 * in frames of 4 KiB. */
#include "cpu_subject.h"

static uint64_t until;

static NOINLINE void bottom_works(void)
{
    spin(10000);
    KEEP_FRAME();
}

static NOINLINE void bottom_sleeps(void)
{
    struct timespec const little = {.tv_nsec = 3000000};
    nanosleep(&little, NULL);
    KEEP_FRAME();
}

static NOINLINE void descend(unsigned pages)
{
    volatile char room[4000];
    for (unsigned i = 0; i < sizeof(room); i += 64)
        room[i] = (char)i;
    if (pages > 0)
        descend(pages - 1);
    while (pages == 0 && now_ns(CLOCK_MONOTONIC) < until) {
        bottom_works();
        bottom_sleeps();
    }
    KEEP_FRAME();
}

int main(int argc, char **argv)
{
    until = now_ns(CLOCK_MONOTONIC) + (uint64_t)(argc > 1 ? atoi(argv[1]) : 1) * 1000000000u;
    descend((argc > 2 ? (unsigned)atoi(argv[2]) : 100) / 4);
    return 0;
}
