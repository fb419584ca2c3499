/* stack_intern.h - adds walked stacks to a recording: modules, frames, and an ID for the stack.
 *
 * Modules and frames that the recording already has, from whatever source, are used again.
 * Recursion deeper than 192 frames is folded: of a cycle of at most 24 functions, only the last
 * round is kept, so the outermost and the innermost frames always show.  The symbol queue finds the
 * names later, except for frames that came with one.  Not thread-safe. */
#pragma once

#include "stacks/stack_walk.h"

struct stack_intern;

struct interned_stack {
    stack_id stack;
    bool folded;
};

/* The recording must outlive it.  Returns NULL when out of memory. */
struct stack_intern *stack_intern_create(struct recording *recording);
void stack_intern_destroy(struct stack_intern *intern);

/* Adds the frames of a walk in `code`.  Cheap for frames that were added before.  Returns 0 or
 * -ENOMEM. */
int stack_intern_put(struct stack_intern *intern, struct process_code *code,
                     const struct stack_walk *walk, struct interned_stack *interned);
/* Like stack_intern_put, on top of a stack that the recording has: its innermost frame calls the
 * outermost frame of the walk. */
int stack_intern_put_on(struct stack_intern *intern, struct process_code *code,
                        const struct stack_walk *walk, stack_id below,
                        struct interned_stack *interned);

/* From now on, the same file is one module, wherever processes have it mapped.  For recordings of
 * several processes; to be called before anything is added. */
void stack_intern_share_modules(struct stack_intern *intern);

/* Finds or adds a stack of another recording, which always gives the same ID.  Cheap for stacks
 * that were carried before.  Returns 0 or -ENOMEM. */
int stack_intern_carry(struct stack_intern *intern, const struct recording *from, stack_id stack,
                       stack_id *carried);
