/* ring_guard.h - stands in for the reader while it is busy elsewhere (a slow disk): moves the
 * rings' words to memory, unread, so that no thread of the program has to wait, and keeps the clock word fresh.  Bounded;
 * beyond that they do wait. */
#pragma once

#include "capture/ring.h"

struct ring_guard;

/* `rings` is an array of ARENA_SLOTS, touched by the guard only between on and off. */
struct ring_guard *ring_guard_create(struct arena *arena, struct ring *rings); /* NULL: cannot */
void ring_guard_destroy(struct ring_guard *guard);

/* Takes the words of a ring that must wait, so that its thread need not.  Call it while off. */
void ring_guard_spill(struct ring_guard *guard, struct ring *ring);

void ring_guard_on(struct ring_guard *guard);
void ring_guard_off(
    struct ring_guard *guard); /* the rings are the caller's again when it returns */
