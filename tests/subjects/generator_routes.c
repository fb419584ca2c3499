/* SPDX-License-Identifier: Apache-2.0 */
/* Ways down to an allocation that are hard on a stack walker: frames thrown away by longjmp, stacks
 * that are not the thread's, stacks of twenty thousand frames. */
#include "generator.h"

#include <string.h>
#include <ucontext.h>

#define COROUTINES      8
#define COROUTINE_STACK (128 << 10)
#define DEEP            20000
#define NOINLINE        __attribute__((noinline, noclone))

struct coroutine {
    ucontext_t context;
    struct order *order;
    bool busy; /* stands in the middle of a path */
};

/* A thread's coroutines; `caller` is where the thread itself waits while one of them runs. */
struct coroutines {
    ucontext_t caller;
    struct coroutine each[COROUTINES];
    unsigned next;
    struct coroutine *running;
};

static __thread struct coroutines *current;

static void coroutine_main(void)
{
    for (;;) {
        struct coroutine *self = current->running;
        path_run(self->order);
        self->busy = false;
        swapcontext(&self->context, &current->caller);
    }
}

struct coroutines *coroutines_create(void)
{
    struct coroutines *all = pages(sizeof(*all));
    for (int i = 0; i < COROUTINES; i++) {
        ucontext_t *context = &all->each[i].context;
        getcontext(context);
        context->uc_stack.ss_sp = pages(COROUTINE_STACK);
        context->uc_stack.ss_size = COROUTINE_STACK;
        context->uc_link = NULL;
        makecontext(context, coroutine_main, 0);
    }
    return all;
}

void coroutine_yield(void)
{
    struct coroutine *self = current->running;
    swapcontext(&self->context, &current->caller);
}

static void resume(struct coroutines *own, struct coroutine *coroutine)
{
    own->running = coroutine;
    current = own;
    swapcontext(&own->caller, &coroutine->context);
}

/* Runs `order` on the next coroutine, which first stops half-way down the path; meanwhile the other
 * coroutines of the thread stand where they stopped, with their frames on their stacks. */
static NOINLINE void run_in_coroutine(struct coroutines *own, struct order *order)
{
    struct coroutine *coroutine = &own->each[own->next++ % COROUTINES];

    coroutine->order = order;
    coroutine->busy = true;
    order->pause_at = (int)(strlen(path_chain(order->path)) / 2);
    resume(own, coroutine); /* to the pause */
    if (coroutine->busy)
        resume(own, coroutine); /* to the end */
}

static NOINLINE void run_and_leave(struct order *order)
{
    jmp_buf place;
    if (setjmp(place) == 0) {
        order->leave = &place;
        path_run(order);
    }
    order->leave = NULL;
}

static NOINLINE void deep_down(unsigned frames, struct order *order)
{
    if (frames > 0)
        deep_down(frames - 1, order);
    else
        path_run(order);
    __asm__ volatile("" ::: "memory");
}

NOINLINE void route_run(enum route route, struct coroutines *own, struct order *order)
{
    if (route == ROUTE_COROUTINE)
        run_in_coroutine(own, order);
    else if (route == ROUTE_LONGJMP)
        run_and_leave(order);
    else if (route == ROUTE_SIGNAL)
        run_in_signal(order);
    else if (route == ROUTE_DEEP)
        deep_down(DEEP, order);
    else
        path_run(order);
    __asm__ volatile("" ::: "memory");
}
