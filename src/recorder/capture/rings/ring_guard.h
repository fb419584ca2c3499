/* ring_guard.h - threads that empty rings when their reader cannot, because it is busy elsewhere or
 * there is too much to read.  They move the rings' words to memory, unread, so that no thread of
 * the program has to wait, and keep the clock word fresh.  That memory has a bound; beyond it,
 * threads of the program wait.  These threads never use a disk. */
#pragma once

#include "capture/rings/priority.h"
#include "capture/rings/ring.h"

struct ring_guard;

/* NULL on failure.  `rings` has ARENA_SLOTS items; the guard holds a ring while it uses it. */
struct ring_guard *ring_guard_create(struct arena *arena, struct ring *rings); /* NULL: cannot */
void ring_guard_destroy(struct ring_guard *guard);

/* What the threads do now: nothing, because the reader reads all rings; the whole work, because the
 * reader is elsewhere; or help, because the reader is too slow. */
enum ring_guard_work { RINGS_ARE_READ, RINGS_ARE_LEFT, RINGS_ARE_SHARED };
void ring_guard_set(struct ring_guard *guard, enum ring_guard_work work);

/* Sets the priority of all threads, from when they are next needed. */
void ring_guard_set_priority(struct ring_guard *guard, const struct priority *priority);

/* Moves the words of a ring out of it, so that its thread need not wait.  The caller holds the
 * ring, whose records must wait.  Returns whether words were moved. */
bool ring_guard_spill(struct ring_guard *guard, struct ring *ring);
/* Frees memory of a ring that needed it once, if little is left for other rings. */
void ring_guard_trim(struct ring_guard *guard, struct ring *ring);
