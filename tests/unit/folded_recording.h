/* folded_recording.h - a recording from lines such as "main;parse;read 12", for tests whose
 * stacks matter and nothing else.
 *
 * A function's name may be "module`function"; without that its module is "/bin/program".  Two
 * seconds in one bucket. */
#pragma once

#include "model/recording.h"

/* An empty one; aborts when out of memory.  recording_destroy ends it. */
struct recording *folded_create(void);

/* Adds `value` to the cell of `column` of this stack, outermost function first; "" is the stack
 * without frames. */
stack_id folded_add(struct recording *recording, const char *stack, unsigned column, int64_t value);
