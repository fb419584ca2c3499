/* asking_stack.h - a call stack without the allocator's own frames at its inner end.
 *
 * Follows the rule of stack_show, for formats in which one frame contains its inlined functions. */
#pragma once

#include "model/recording.h"

struct asking_stack {
    stack_id stack;
    size_t hidden_lines; /* inlined allocator functions to leave out of the innermost frame */
};

/* Returns the stack of the code that asked for memory; the whole stack if nothing else would be
 * left. */
struct asking_stack asking_stack(struct recording *recording, stack_id stack);
