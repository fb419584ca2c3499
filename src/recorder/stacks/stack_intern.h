/* stack_intern.h - walked stacks into a recording: modules, frames, and a number for the stack.
 *
 * Modules and frames that the recording has already, from whatever source, are used again.
 * Recursion deeper than 192 frames is folded: of a cycle of at most 24 functions only its last
 * round is kept, so the outermost frames and the innermost ones always show.  Names are left to
 * the symbol queue, but for frames that came with one.  Not thread-safe. */
#pragma once

#include "stacks/stack_walk.h"

struct stack_intern;

struct interned_stack {
    stack_id stack;
    bool folded;
};

/* The recording must outlive it.  NULL when out of memory. */
struct stack_intern *stack_intern_create(struct recording *recording);
void stack_intern_destroy(struct stack_intern *intern);

/* Puts the frames of a walk in `code`.  Cheap for frames that were put before.  0 or -ENOMEM. */
int stack_intern_put(struct stack_intern *intern, struct process_code *code,
                     const struct stack_walk *walk, struct interned_stack *interned);
/* The same on top of a stack that the recording has: its innermost frame calls the outermost of
 * the walk. */
int stack_intern_put_on(struct stack_intern *intern, struct process_code *code,
                        const struct stack_walk *walk, stack_id below,
                        struct interned_stack *interned);

/* From now on, and before anything is put: the same file is one module, wherever processes have
 * it.  For recordings of several processes. */
void stack_intern_share_modules(struct stack_intern *intern);

/* A stack of another recording: always the same one.  Cheap for stacks that were carried before.
 * 0 or -ENOMEM. */
int stack_intern_carry(struct stack_intern *intern, const struct recording *from, stack_id stack,
                       stack_id *carried);
