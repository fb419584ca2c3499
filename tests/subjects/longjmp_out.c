/* SPDX-License-Identifier: Apache-2.0 */
/* Frames vanish without returning: deep_alloc(n) allocates and jumps out of n frames, then
 * shallow_alloc allocates from where the jump landed.  1000 blocks each, of 64 and 32 bytes. */
#include "subject.h"

#include <setjmp.h>
#include <stdlib.h>

static jmp_buf place;

static NOINLINE void deep_alloc(int frames)
{
    if (frames > 0) {
        deep_alloc(frames - 1);
    } else {
        void *volatile at = malloc(64);
        if (at) /* always */
            longjmp(place, 1);
    }
    KEEP_FRAME();
}

static NOINLINE void shallow_alloc(void)
{
    void *volatile at = malloc(32);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void jump_out(int frames)
{
    if (setjmp(place) == 0)
        deep_alloc(frames);
    shallow_alloc();
}

int main(void)
{
    for (int i = 0; i < 1000; i++)
        jump_out(i % 50);
    return 0;
}
