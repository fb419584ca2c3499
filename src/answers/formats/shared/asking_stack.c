/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/asking_stack.h"

#include "analyze/trees/shown_frame.h"

#define LINES_MAX 256

struct asking_stack asking_stack(struct recording *recording, stack_id stack)
{
    struct shown_frame lines[LINES_MAX];
    for (stack_id at = stack; at != STACK_EMPTY;) {
        struct stack_link link = stack_table_innermost(recording->stacks, at);
        size_t count = frame_show(recording, link.frame, lines, LINES_MAX);
        for (size_t i = 0; i < count && i < LINES_MAX; i++)
            if (!shown_frame_is_allocator(recording, &lines[i]))
                return (struct asking_stack){at, i};
        at = link.caller;
    }
    return (struct asking_stack){stack, 0};
}
