/* thin.h - recording fewer allocations while the recorder cannot keep up and the program must
 * not wait.
 *
 * A thread whose ring is nearly full records samples of its allocations, and all of its frees:
 * so blocks that were recorded before are still seen to end.  What is left out is counted.  Once
 * the ring is mostly empty, everything is recorded again.  Only where there is a longest wait,
 * and everything should be recorded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tracer/rings/thread.h"

/* Bytes per sample. */
#define RATE_THIN (8ull << 10)

/* Begins when no more than `left` words may be written to the ring. */
void thin_consider(struct arena_slot *slot, uint64_t left);

/* Whether an allocation of a slot that is `thin` is left out. */
bool thin_leaves_out(struct arena_slot *slot, size_t size);
