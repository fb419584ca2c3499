/* SPDX-License-Identifier: Apache-2.0 */
/* Runs for 10 ms in first_10_ms, from its beginning on, sleeps for 10 ms in first_sleep, and
 * runs for 60 ms more in then_60_ms: what is watched a little late has least of the first. */
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "subject.h"

static uint64_t used_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000 + (uint64_t)used.tv_nsec / 1000000;
}

NOINLINE void first_10_ms(void)
{
    while (used_ms() < 10)
        continue;
    KEEP_FRAME();
}

NOINLINE void first_sleep(void)
{
    usleep(10000);
    KEEP_FRAME();
}

NOINLINE void then_60_ms(void)
{
    while (used_ms() < 70)
        continue;
    KEEP_FRAME();
}

int main(void)
{
    first_10_ms();
    first_sleep();
    then_60_ms();
    return 0;
}
