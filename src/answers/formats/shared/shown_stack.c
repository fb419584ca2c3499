/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/shared/shown_stack.h"

#include <errno.h>

int shown_stack_fill(struct shown_stack *shown, struct recording *recording,
                     const struct metric *metric, stack_id stack)
{
    shown->frames.count = 0;
    size_t const count =
        stack_show_of(recording, metric, stack, shown->frames.items, shown->frames.room);
    if (count > shown->frames.room) {
        if (!vec_reserve(&shown->frames, count) || !shown->frames.items)
            return -ENOMEM;
        stack_show_of(recording, metric, stack, shown->frames.items, shown->frames.room);
    }
    shown->frames.count = count;
    return 0;
}
