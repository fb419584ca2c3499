/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks below functions that call themselves: visit directly (500 bytes in all, 300 of them
 * where it is in the stack more than once), ask through answer (32 bytes: 30 by ask itself, 2 by
 * answer). */
#include "subject.h"

#include <stdlib.h>

static NOINLINE void keep(size_t size)
{
    void *volatile at = malloc(size);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void visit(int more)
{
    keep(100);
    if (more)
        visit(more - 1);
    KEEP_FRAME();
}

static void answer(int more);

static NOINLINE void ask(int more)
{
    keep(10);
    if (more)
        answer(more - 1);
    KEEP_FRAME();
}

static NOINLINE void answer(int more)
{
    keep(1);
    if (more)
        ask(more - 1);
    KEEP_FRAME();
}

static NOINLINE void visit_one(void)
{
    visit(0);
    KEEP_FRAME();
}

int main(void)
{
    visit(3);
    visit_one();
    ask(4);
    return 0;
}
