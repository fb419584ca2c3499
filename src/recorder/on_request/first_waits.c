/* SPDX-License-Identifier: Apache-2.0 */
#include "on_request/first_waits.h"

#include <stdio.h>
#include <stdlib.h>

#include "on_request/thread_dump.h"
#include "stacks/stack_intern.h"

struct first_waits {
    struct thread_dump dump; /* its threads by number; without a stack: they ran since */
    stack_id *carried;       /* of each, in the recording that is measured; STACK_EMPTY: not yet */
    struct stack_intern *intern; /* of the recording that stacks are carried to */
};

static int by_number(const void *left, const void *right)
{
    const struct dumped_thread *a = left, *b = right;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

struct first_waits *first_waits_look(uint32_t pid, struct recording *recording)
{
    struct fault fault = {.text = ""};
    struct first_waits *first = calloc(1, sizeof(*first));
    if (!first)
        return NULL;
    int const err = thread_dump_collect(&first->dump, pid, &fault);
    if (err == 0) {
        first->carried = calloc(first->dump.threads.count + 1, sizeof(*first->carried));
        first->intern = stack_intern_create(recording);
    }
    if (first->carried && first->intern) {
        if (first->dump.threads.count)
            qsort(first->dump.threads.items, first->dump.threads.count,
                  sizeof(struct dumped_thread), by_number);
        return first;
    }
    recording_note(recording,
                   "threads that waited from the beginning have no stack for that wait: %s",
                   err ? fault.text : "out of memory");
    first_waits_free(first);
    return NULL;
}

void first_waits_free(struct first_waits *first)
{
    if (!first)
        return;
    stack_intern_destroy(first->intern);
    thread_dump_fini(&first->dump);
    free(first->carried);
    free(first);
}

static struct dumped_thread *find_thread(struct first_waits *first, uint32_t tid)
{
    struct dumped_thread const wanted = {.tid = tid};
    return first->dump.threads.count ? bsearch(&wanted, first->dump.threads.items,
                                               first->dump.threads.count, sizeof(wanted), by_number)
                                     : NULL;
}

/* A frame that is only a name: what is waited for. */
static int push_kind(struct recording *recording, const struct thread_state *state, stack_id *stack)
{
    char name[WAIT_NAME_MOST + 16];
    stack_id alone;
    snprintf(name, sizeof(name), state->waits[0] ? "[waits: %s]" : "[waits%s]", state->waits);
    int const err = recording_name_stack(recording, recording_intern(recording, name), &alone);
    if (err)
        return err;
    return stack_table_push(recording->stacks, *stack,
                            stack_table_innermost(recording->stacks, alone).frame, stack);
}

static stack_id carry(struct first_waits *first, struct recording *recording,
                      const struct dumped_thread *thread)
{
    stack_id *carried = &first->carried[thread - first->dump.threads.items];
    stack_id stack;
    if (*carried == STACK_EMPTY &&
        stack_intern_carry(first->intern, first->dump.recording, thread->stack, &stack) == 0 &&
        push_kind(recording, &thread->state, &stack) == 0)
        *carried = stack;
    return *carried;
}

stack_id first_waits_stack(struct first_waits *first, struct recording *recording,
                           const struct moment *wait)
{
    struct dumped_thread *thread =
        wait->thread < recording->threads.count
            ? find_thread(first, recording->threads.items[wait->thread].tid)
            : NULL;
    bool const is_bare =
        stack_table_innermost(recording->stacks, wait->stack).caller == STACK_EMPTY;
    if (!thread || thread->stack == STACK_EMPTY)
        return wait->stack;
    if (!is_bare || thread->state.letter == 'R') { /* it ran meanwhile */
        thread->stack = STACK_EMPTY;
        return wait->stack;
    }
    stack_id const stack = carry(first, recording, thread);
    if (wait->count) /* that was the end of it */
        thread->stack = STACK_EMPTY;
    return stack == STACK_EMPTY ? wait->stack : stack;
}
