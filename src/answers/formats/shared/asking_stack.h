/* asking_stack.h - a stack without the allocator's own frames at its inner end: the code that
 * asked. The rule is that of stack_show, for formats that keep inlining inside a frame. */
#pragma once

#include "model/recording.h"

struct asking_stack {
    stack_id stack;
    size_t hidden_lines; /* inlined allocator functions to leave out of its innermost frame */
};

/* Returns the whole stack when nothing else would be left. */
struct asking_stack asking_stack(struct recording *recording, stack_id stack);
