/* SPDX-License-Identifier: Apache-2.0 */
/* Ten coroutines by swapcontext take turns; each makes 100 blocks of 48 bytes in in_coroutine, the
 * main stack 1000 of 24 bytes in between. */
#include "subject.h"

#include <stdlib.h>
#include <ucontext.h>

#define COUNT 10
#define TURNS 100

static ucontext_t main_context, contexts[COUNT];
static char stacks[COUNT][64 << 10];
static int current;

static NOINLINE void in_coroutine(void)
{
    void *volatile at = malloc(48);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void between(void)
{
    void *volatile at = malloc(24);
    (void)at;
    KEEP_FRAME();
}

static NOINLINE void run_turn(int depth)
{
    if (depth > 0)
        run_turn(depth - 1);
    else
        in_coroutine();
    swapcontext(&contexts[current], &main_context); /* in the middle of unwinding the recursion */
    KEEP_FRAME();
}

static void coroutine_main(void)
{
    for (;;)
        run_turn(current % 4);
}

static void make_coroutines(void)
{
    for (int i = 0; i < COUNT; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks[i];
        contexts[i].uc_stack.ss_size = sizeof(stacks[i]);
        makecontext(&contexts[i], coroutine_main, 0);
    }
}

/* A coroutine with d frames of recursion needs d+1 turns per block. */
int main(void)
{
    make_coroutines();
    for (int turn = 0; turn < TURNS; turn++) {
        for (current = 0; current < COUNT; current++) {
            for (int i = 0; i <= current % 4; i++)
                swapcontext(&main_context, &contexts[current]);
            between();
        }
    }
    return 0;
}
