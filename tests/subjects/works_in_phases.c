/* SPDX-License-Identifier: Apache-2.0 */
/* works_in_phases: a second in which it only allocates, then one in which it only computes, then
 * one in which it only waits. */
#include "cpu_subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static NOINLINE void *allocate_block(void)
{
    void *block = malloc(1 << 20);
    memset(block, 1, 1 << 20);
    KEEP_FRAME();
    return block;
}

static NOINLINE void allocate(void)
{
    for (int i = 0; i < 10; i++) {
        if (!allocate_block())
            exit(1);
        usleep(100000);
    }
}

static NOINLINE void compute(void)
{
    uint64_t const end = now_ns(CLOCK_MONOTONIC) + 1000000000u;
    while (now_ns(CLOCK_MONOTONIC) < end)
        spin(500);
    KEEP_FRAME();
}

static NOINLINE void idle(void)
{
    usleep(1000000);
    KEEP_FRAME();
}

int main(void)
{
    allocate();
    compute();
    idle();
    puts("done");
    return 0;
}
