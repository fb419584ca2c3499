/* slow_walk.h - walks the whole stack, frame by frame, when the incremental walk cannot: alternate
 * and coroutine stacks, signal frames, very deep recursion, rows that need every register.
 * Remembers nothing and trusts nothing: every read outside the thread's own stack is probed
 * first. */
#pragma once

#include <stdint.h>

#include "wire/arena.h"

/* Returns the stack's trie node; under TRIE_COMPLETE only if the outer end was reached. */
uint32_t slow_walk(struct arena_slot *slot, void *hook_frame);
