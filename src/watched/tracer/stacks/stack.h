/* stack.h - names the call stack that led to one of our hooks.
 *
 * The thread's previous stack is kept together with the places of its return addresses.  Most of it
 * is still there the next time: those places are compared, and only what changed is walked.  The
 * result is exact: a remembered frame is used only if the walk from the innermost frame reaches
 * it. */
#pragma once

#include <stdint.h>

#include "tracer/stacks/rules.h"
#include "tracer/stacks/tips.h"
#include "wire/arena.h"

/* For all other cases: the first tip to look at does not hold, the stack is not the thread's own,
 * or a library was closed. */
uint32_t stack_capture_changed(struct arena_slot *slot, void *hook_frame);

static inline struct position position_of_caller(uint64_t hook_frame)
{
    return (struct position){hook_frame + 16, word_at(hook_frame + 8), word_at(hook_frame)};
}

/* `hook_frame` is __builtin_frame_address(0) of the hook, which is compiled with a frame pointer.
 */
static always_inline uint32_t stack_capture(struct arena_slot *slot, void *hook_frame)
{
    uint64_t frame = (uint64_t)hook_frame;
    struct position at = position_of_caller(frame);
    const struct thread_limits *limits = &tracer_self.limits;
    if (likely(frame >= limits->stack_low && frame < limits->stack_high &&
               limits->generation ==
                   atomic_load_explicit(&rule_generation, memory_order_relaxed))) {
        uint32_t node = tips_find_first(slot, arena_slot_frames(slot), &at);
        if (likely(node != TRIE_NONE))
            return node;
    }
    return stack_capture_changed(slot, hook_frame);
}
