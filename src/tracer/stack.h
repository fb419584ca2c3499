/* stack.h - the name of the call stack that led to one of our hooks.
 *
 * The thread's previous stack is kept with the places its return addresses were read from.  Most of
 * it is still there the next time: those places are compared, and only what changed is walked.  The
 * result is exact: a remembered frame is used only when the walk from the innermost frame arrives
 * at it. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

/* `hook_frame` is __builtin_frame_address(0) of the hook, which is compiled with a frame pointer.
 */
uint32_t stack_capture(struct arena_slot *slot, void *hook_frame);
