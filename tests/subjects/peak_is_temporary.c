/* SPDX-License-Identifier: Apache-2.0 */
/* The peak is one block of 100 MiB that lives for no time at all, among pairs that die as young.
 * At that instant 10 MiB of hold_here are live, and nothing else. */
#include "subject.h"

#include <stdlib.h>

#define MIB (1 << 20)

static NOINLINE void *hold_here(void)
{
    void *at = malloc(MIB);
    KEEP_FRAME();
    return at;
}

static NOINLINE void small_pair_here(size_t size)
{
    void *volatile at = malloc(size);
    free(at);
}

static NOINLINE void peak_here(void)
{
    void *volatile at = malloc(100 * MIB);
    free(at);
}

int main(void)
{
    void *held[10];
    for (int i = 0; i < 10; i++)
        held[i] = hold_here();
    for (size_t i = 0; i < 200000; i++) {
        small_pair_here(1 + i % 1000);
        if (i == 100000)
            peak_here();
    }
    for (int i = 0; i < 10; i++)
        free(held[i]);
    return 0;
}
