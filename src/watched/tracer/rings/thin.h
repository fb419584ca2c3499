/* thin.h - records fewer allocations while the recorder cannot keep up and the program must not
 * wait.
 *
 * A thread whose ring is nearly full records samples of its allocations and all of its frees, so
 * that the end of blocks that were recorded before is still seen.  What is left out is counted.
 * Once the ring is mostly empty, everything is recorded again.  Only done if there is a longest
 * wait, and everything is to be recorded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tracer/rings/thread.h"

/* Bytes per sample. */
#define RATE_THIN (8ull << 10)

/* Begins thinning when at most `left` words may be written to the ring. */
void thin_consider(struct arena_slot *slot, uint64_t left);

/* Returns whether an allocation of a slot that is `thin` is left out. */
bool thin_leaves_out(struct arena_slot *slot, size_t size);
