/* shown_stack.h - the frames of a stack as people read them, in a buffer that is reused. */
#pragma once

#include "analyze/trees/call_tree.h"

struct shown_stack {                /* all zero to begin; vec_free(&stack.frames) at the end */
    VEC(struct shown_frame) frames; /* innermost first */
};

/* Fills the buffer like stack_show_of.  Returns 0 or -ENOMEM. */
int shown_stack_fill(struct shown_stack *shown, struct recording *recording,
                     const struct metric *metric, stack_id stack);
