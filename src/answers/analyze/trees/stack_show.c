/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "analyze/trees/shown_frame.h"

#define LINES_MAX 256 /* of one frame; the resolver gives at most 64 */

/* The stack that is left when the allocator's own frames are taken off the inner end, and how many
 * lines of its innermost frame go too; the whole stack when nothing else would be left. */
static stack_id skip_allocator(struct recording *recording, stack_id stack, size_t *hidden)
{
    struct shown_frame lines[LINES_MAX];
    for (stack_id at = stack; at != STACK_EMPTY;) {
        struct stack_link const link = stack_table_innermost(recording->stacks, at);
        size_t count = frame_show(recording, link.frame, lines, LINES_MAX);
        if (count > LINES_MAX)
            count = LINES_MAX;
        for (size_t i = 0; i < count; i++) {
            if (!shown_frame_is_allocator(recording, &lines[i])) {
                *hidden = i;
                return at;
            }
        }
        at = link.caller;
    }
    *hidden = 0;
    return stack;
}

/* Without so many lines of the innermost frame. */
static size_t show_from(struct recording *recording, stack_id stack, size_t hidden,
                        struct shown_frame *out, size_t max)
{
    struct shown_frame lines[LINES_MAX];
    size_t total = 0;

    while (stack != STACK_EMPTY) {
        struct stack_link const link = stack_table_innermost(recording->stacks, stack);
        size_t const found = frame_show(recording, link.frame, lines, LINES_MAX);
        size_t const count = found < LINES_MAX ? found : LINES_MAX;
        for (size_t i = hidden; i < count; i++, total++)
            if (total < max)
                out[total] = lines[i];
        hidden = 0;
        stack = link.caller;
    }
    return total;
}

size_t stack_show(struct recording *recording, stack_id stack, struct shown_frame *out, size_t max)
{
    size_t hidden;
    stack = skip_allocator(recording, stack, &hidden);
    return show_from(recording, stack, hidden, out, max);
}

size_t stack_show_of(struct recording *recording, const struct metric *metric, stack_id stack,
                     struct shown_frame *out, size_t max)
{
    return metric_shows_allocator(metric) ? show_from(recording, stack, 0, out, max)
                                          : stack_show(recording, stack, out, max);
}
