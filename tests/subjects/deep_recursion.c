/* SPDX-License-Identifier: Apache-2.0 */
/* Ten blocks of 16 bytes in at_the_bottom, 100 000 frames of two functions in turn below main; then
 * ten more of 32 bytes on the way up, at every 10 000th frame. */
#include "subject.h"

#include <pthread.h>
#include <stdlib.h>

static void odd(int depth);

static NOINLINE void at_the_bottom(void)
{
    for (int i = 0; i < 10; i++) {
        void *volatile at = malloc(16);
        (void)at;
    }
    KEEP_FRAME();
}

static NOINLINE void on_the_way_up(void)
{
    void *volatile at = malloc(32);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void even(int depth)
{
    if (depth == 0)
        at_the_bottom();
    else
        odd(depth - 1);
    if (depth > 0 && depth % 10000 == 0)
        on_the_way_up();
    KEEP_FRAME();
}

static NOINLINE void odd(int depth)
{
    even(depth - 1);
    KEEP_FRAME();
}

int main(void)
{
    even(100000);
    return 0;
}
