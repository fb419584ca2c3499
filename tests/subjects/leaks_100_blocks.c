/* SPDX-License-Identifier: Apache-2.0 */
/* 100 blocks of 1000 bytes are lost by leak_here; 500 of free_here are not. */
#include "subject.h"

#include <stdlib.h>

static void *volatile sink;

static NOINLINE void leak_here(void)
{
    sink = malloc(1000);
    KEEP_FRAME();
}

static NOINLINE void *free_here(void)
{
    void *at = malloc(77);
    KEEP_FRAME();
    return at;
}

int main(void)
{
    static void *blocks[500];
    for (int i = 0; i < 500; i++) {
        blocks[i] = free_here();
        if (i % 5 == 0)
            leak_here();
    }
    for (int i = 0; i < 500; i++)
        free(blocks[i]);
    return 0;
}
