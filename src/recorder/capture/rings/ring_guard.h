/* ring_guard.h - threads that empty rings when their reader does not get round to that, because
 * it is busy elsewhere or there is too much to read: they move the rings' words to memory,
 * unread, so that no thread of the program has to wait, and keep the clock word fresh.  Bounded;
 * beyond that threads do wait.  They never touch a disk. */
#pragma once

#include "capture/rings/priority.h"
#include "capture/rings/ring.h"

struct ring_guard;

/* `rings` is an array of ARENA_SLOTS; who touches one holds it. */
struct ring_guard *ring_guard_create(struct arena *arena, struct ring *rings); /* NULL: cannot */
void ring_guard_destroy(struct ring_guard *guard);

/* What the threads are for now: the reader reads all rings by itself; it is elsewhere; or it
 * reads, but not fast enough. */
enum ring_guard_work { RINGS_ARE_READ, RINGS_ARE_LEFT, RINGS_ARE_SHARED };
void ring_guard_set(struct ring_guard *guard, enum ring_guard_work work);

/* Of all threads, from when they are next needed on. */
void ring_guard_set_priority(struct ring_guard *guard, const struct priority *priority);

/* Takes the words of a ring that the caller holds and that must wait, so that its thread need
 * not.  Whether it did. */
bool ring_guard_spill(struct ring_guard *guard, struct ring *ring);
/* Gives memory back that a ring needed once, when there is little left for others. */
void ring_guard_trim(struct ring_guard *guard, struct ring *ring);
