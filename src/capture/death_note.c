/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/death_note.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/human.h"

#define OWNERS_SHOWN 3

void death_describe(int wait_status, bool oom, char *text, size_t size)
{
    const char *name = sigabbrev_np(WTERMSIG(wait_status));
    if (oom)
        snprintf(text, size, "killed by the OOM killer (SIGKILL)");
    else
        snprintf(text, size, "killed by SIG%s", name ? name : "?");
}

/* The innermost function of a stack that is not the allocator's. */
static const char *owner_name(const struct recording *recording, stack_id stack)
{
    for (; stack != STACK_EMPTY; stack = stack_table_innermost(recording->stacks, stack).caller) {
        uint32_t index = stack_table_innermost(recording->stacks, stack).frame;
        const struct frame *frame = &recording->frames.items[index];
        if (frame->location_count > 0)
            return recording_text(recording,
                                  recording->locations.items[frame->first_location].function);
    }
    return "an unknown place";
}

static const struct cell *largest_below(const struct pin *pin, int64_t limit)
{
    const struct cell *best = NULL;
    for (size_t i = 0; i < pin->cell_count; i++) {
        const struct cell *cell = &pin->cells[i];
        if (cell->column == COL_HEAP_BYTES && cell->value < limit &&
            (!best || cell->value > best->value))
            best = cell;
    }
    return best;
}

void death_print(const struct recording *recording, char *text, size_t size)
{
    const struct pin *pin = recording_pin(recording, PIN_DEATH);
    int64_t bytes = 0, blocks = 0, limit = INT64_MAX;
    char human[HUMAN_MAX];
    if (!pin)
        return;
    for (size_t i = 0; i < pin->cell_count; i++) {
        bytes += pin->cells[i].column == COL_HEAP_BYTES ? pin->cells[i].value : 0;
        blocks += pin->cells[i].column == COL_HEAP_CALLS ? pin->cells[i].value : 0;
    }
    human_bytes(bytes, human);
    size_t at = (size_t)snprintf(text, size, "at death: %s; %s live in %lld blocks",
                                 recording_text(recording, pin->label), human, (long long)blocks);
    for (int i = 0; i < OWNERS_SHOWN && at < size; i++) {
        const struct cell *cell = largest_below(pin, limit);
        if (!cell || cell->value == 0)
            break;
        limit = cell->value;
        human_bytes(cell->value, human);
        at += (size_t)snprintf(text + at, size - at, "%s%s by %s", i ? ", " : ": ", human,
                               owner_name(recording, cell->key));
    }
}
